/* Debian builds SUNDIALS without optimisation. What takes time in a small dense problem is
 * here again, with the same arithmetic, so that the compiler optimises it. */
#include <math.h>
#include <nvector/nvector_serial.h>
#include <string.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

static void linear_sum(double a, N_Vector x, double b, N_Vector y, N_Vector z) {
    const double *xd = NV_DATA_S(x), *yd = NV_DATA_S(y);
    double *zd = NV_DATA_S(z);
    for (long i = 0, n = NV_LENGTH_S(x); i < n; i++) zd[i] = a * xd[i] + b * yd[i];
}

static void scale(double a, N_Vector x, N_Vector z) {
    const double *xd = NV_DATA_S(x);
    double *zd = NV_DATA_S(z);
    for (long i = 0, n = NV_LENGTH_S(x); i < n; i++) zd[i] = a * xd[i];
}

static double wrms_norm(N_Vector x, N_Vector w) {
    const double *xd = NV_DATA_S(x), *wd = NV_DATA_S(w);
    double sum = 0;
    long n = NV_LENGTH_S(x);
    for (long i = 0; i < n; i++) sum += xd[i] * wd[i] * xd[i] * wd[i];
    return sqrt(sum / n);
}

static int matrix_copy(SUNMatrix from, SUNMatrix to) {
    memcpy(SM_DATA_D(to), SM_DATA_D(from), SM_LDATA_D(from) * sizeof(double));
    return 0;
}

static SUNMatrix matrix_clone(SUNMatrix m) {
    SUNMatrix clone = SUNDenseMatrix(SM_ROWS_D(m), SM_COLUMNS_D(m), m->sunctx);
    clone->ops->copy = matrix_copy;
    return clone;
}

static int matrix_scale_add_identity(double a, SUNMatrix m) {
    double *data = SM_DATA_D(m);
    long n = SM_ROWS_D(m);
    for (long i = 0; i < n * n; i++) data[i] *= a;
    for (long i = 0; i < n; i++) data[i * n + i] += 1;
    return 0;
}

static sunindextype *pivots(SUNLinearSolver s) { return ((SUNLinearSolverContent_Dense)s->content)->pivots; }

/* LU with partial pivoting, by columns. */
static int factorise(SUNLinearSolver s, SUNMatrix m) {
    long n = SM_ROWS_D(m);
    for (long k = 0; k < n; k++) {
        double *column = SM_COLUMN_D(m, k);
        long p = k;
        for (long i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[p])) p = i;
        pivots(s)[k] = p;
        if (column[p] == 0) return 1;
        for (long j = 0; p != k && j < n; j++) {
            double *swapped = SM_COLUMN_D(m, j), old = swapped[k];
            swapped[k] = swapped[p];
            swapped[p] = old;
        }
        double inverse = 1 / column[k];
        for (long i = k + 1; i < n; i++) column[i] *= inverse;
        for (long j = k + 1; j < n; j++) {
            double *restrict other = SM_COLUMN_D(m, j), factor = other[k];
            if (factor == 0) continue;
            for (long i = k + 1; i < n; i++) other[i] -= factor * column[i];
        }
    }
    return 0;
}

static int substitute(SUNLinearSolver s, SUNMatrix m, N_Vector x, N_Vector b, double tolerance) {
    long n = SM_ROWS_D(m);
    double *restrict xd = NV_DATA_S(x);
    (void)tolerance;
    memmove(xd, NV_DATA_S(b), n * sizeof(double));
    for (long k = 0; k < n; k++) {
        double old = xd[k];
        xd[k] = xd[pivots(s)[k]];
        xd[pivots(s)[k]] = old;
    }
    for (long k = 0; k < n; k++) {
        const double *column = SM_COLUMN_D(m, k);
        for (long i = k + 1; i < n; i++) xd[i] -= xd[k] * column[i];
    }
    for (long k = n - 1; k >= 0; k--) {
        const double *column = SM_COLUMN_D(m, k);
        xd[k] /= column[k];
        for (long i = 0; i < k; i++) xd[i] -= xd[k] * column[i];
    }
    return 0;
}

static void optimise(N_Vector v, SUNMatrix m, SUNLinearSolver s) {
    v->ops->nvlinearsum = linear_sum;
    v->ops->nvscale = scale;
    v->ops->nvwrmsnorm = wrms_norm;
    m->ops->clone = matrix_clone;
    m->ops->scaleaddi = matrix_scale_add_identity;
    s->ops->setup = factorise;
    s->ops->solve = substitute;
}
