/* The reference day of slack.yaml integrated with CVODE (BDF, dense LU, difference
 * quotients for the Jacobian) and GSL's special functions.
 *
 * The same equations as slack_scipy.py, independent of the Go code. Prints the
 * trajectory every 300 s as CSV on stdout and the cost of the run on stderr.
 *
 *     slack_cvode [RTOL [REPEAT]]        default 1e-6, 1; atol = rtol/100
 */
#include <cvode/cvode.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "optimised.h"

enum { BINS = 24, STAGES = 7, NODES = 40, SHARDS = 256, KEYS_PER_REQUEST = 30 };
enum { Q, V, S, Z, X = Z + STAGES, Y = X + BINS, STATES = Y + BINS }; /* Y in rollouts only */

static const double HOUR = 3600, DURATION = 14 * 3600, GRID = 300;
static const double PROFILE[][2] = {{0, 0.45}, {3, 0.35}, {5, 0.5}, {6, 0.75}, {7, 0.92}, {8, 1},
                                    {9, 1}, {12, 0.95}, {17, 0.7}}; /* h, share of the peak */
static const double INSTANTS[] = {0, 3600, 5400, 10800, 18000, 20160, 21600, 21960,
                                  25200, 28800, 32400, 43200, 50400}; /* something jumps */
static const double BOOTS = 3000, SESSION = 8 * 3600, TTL = 7 * 86400, KEYS = 20e6, ZIPF = 0.8;
static const double WORK = 4; /* of one query on one shard: 1 + 0.1 * 30 */
static const double MU = 8000, LIMIT = 20000, TIMEOUT = 1, BACKGROUND = 3200, GIVE_UP = 0.05;
static const double BACKOFF[STAGES] = {2, 4, 8, 16, 32, 64, 128};
static const double TINY = 1e-12; /* keeps the time to notice a failure smooth where failures vanish */

static double access_share[BINS], key_share[BINS]; /* per popularity bin */
static double node[NODES], weight[NODES];          /* of the standard normal density */

struct forcing {
    double throttle; /* boots/s */
    double flush;    /* share of the nodes restarted per second */
};

struct row {
    double t, boots, attempts, admitted, success, waiting, sessions, hit, miss, load, n, timeout, refused;
};

struct cost {
    long steps, evaluations, factorisations;
};

static void setup(void) {
    gsl_set_error_handler_off(); /* an underflow is a zero */
    gsl_integration_fixed_workspace *g =
        gsl_integration_fixed_alloc(gsl_integration_fixed_hermite, NODES, 0, 0.5, 0, 0);
    for (int i = 0; i < NODES; i++) {
        node[i] = gsl_integration_fixed_nodes(g)[i];
        weight[i] = gsl_integration_fixed_weights(g)[i] / sqrt(2 * M_PI);
    }
    gsl_integration_fixed_free(g);

    double total = 0, rank = 1;
    for (int i = 0; i < BINS; i++) {
        double last = round(pow(KEYS, (i + 1.0) / BINS)), first = rank;
        for (; rank <= last; rank++) access_share[i] += pow(rank, -ZIPF);
        key_share[i] = (last - first + 1) / KEYS;
        total += access_share[i];
    }
    for (int i = 0; i < BINS; i++) access_share[i] /= total;
}

static double profile(double t) {
    int i = 1;
    while (t > PROFILE[i][0] * HOUR) i++;
    double a = PROFILE[i - 1][0] * HOUR, b = PROFILE[i][0] * HOUR;
    return PROFILE[i - 1][1] + (PROFILE[i][1] - PROFILE[i - 1][1]) * (t - a) / (b - a);
}

static struct forcing forcing_at(double t) {
    int rollout = (t >= 3600 && t < 5400) || (t >= 20160 && t < 21960);
    return (struct forcing){.throttle = t >= 25200 && t < 32400 ? 400 : INFINITY, .flush = rollout ? 0.25 / 1800 : 0};
}

static double smooth_min(double a, double u) {
    double lo = fmin(a, u), hi = fmax(a, u);
    return lo / pow(1 + pow(lo / hi, 32), 1.0 / 32);
}

/* Probability that some shard fails, each with probability f, copula share r. It lies
 * between f and SHARDS*f, so most of the day needs no quadrature. */
static double any_shard(double f, double r) {
    if (f * SHARDS < 1e-17 || 1 - f < 1e-17) return f;
    double quantile = gsl_cdf_ugaussian_Qinv(f), common = sqrt(r), scale = M_SQRT1_2 / sqrt(1 - r), sum = 0;
    for (int i = 0; i < NODES; i++) {
        double one = 0.5 * erfc((quantile + common * node[i]) * scale);
        sum += weight[i] * (one < 1 ? -expm1(SHARDS * log1p(-one)) : 1);
    }
    return sum;
}

/* Probability that a query of work w waits longer than the time-out. */
static double timeout(double n, double v, double b, double w) {
    double mean = (n + w) / MU, var = (v + b * n + w * w) / (MU * MU), k = mean * mean / var;
    gsl_sf_result p;
    gsl_sf_gamma_inc_Q_e(k, k * TIMEOUT / mean, &p);
    return p.val;
}

/* The derivative du of the state u, and the observables if row is not NULL. */
static void evaluate(double t, const double *u, const struct forcing *now, double *du, struct row *row) {
    double n = fmax(u[Q], 1e-12), v = fmax(u[V], 1e-12);
    double factor = profile(t), boots = BOOTS * factor, background = BACKGROUND * factor;
    double hit = 0, waiting = 0, flow[STAGES], dwell[STAGES];
    for (int i = 0; i < BINS; i++) hit += access_share[i] * u[X + i];
    double miss = 1 - pow(hit, KEYS_PER_REQUEST);
    double refused = fmin(1, pow(n / LIMIT, 32));

    /* The mix of queries depends on the admitted attempts, those on the dwell, that on
     * the failures, those on the mix: iterate, from where the last evaluation ended. */
    static double extra; /* dwell beyond the backoff */
    double attempts, admitted, queries, load, b, failed, lost, last;
    do {
        attempts = boots;
        for (int j = 0; j < STAGES; j++) attempts += flow[j] = u[Z + j] / (dwell[j] = BACKOFF[j] + extra);
        admitted = smooth_min(attempts, now->throttle);
        queries = admitted * miss;
        load = WORK * queries + background;
        double moment = 2 * (WORK * WORK * queries + background), share = WORK * WORK * queries / moment;
        b = moment / (2 * load);
        double refuses = any_shard(refused, (0.75 - 0.45 * refused) * share);
        double expires = (1 - refuses) * any_shard(timeout(n, v, b, WORK), 0.9 * share);
        lost = refuses + expires;
        double shed = 1 - admitted / attempts;
        failed = shed + (1 - shed) * miss * lost;
        last = extra;
        extra = (failed > 0 ? 1 - shed / failed : 1) * TIMEOUT * (expires + TINY) / (lost + TINY);
    } while (fabs(extra - last) > 1e-13);

    if (row) {
        for (int j = 0; j < STAGES; j++) waiting += u[Z + j];
        *row = (struct row){t, boots, attempts, admitted, 1 - miss * lost, waiting, u[S], hit, miss, load / MU, n,
                            timeout(n, v, b, load / (queries + background)), refused};
        return;
    }
    for (int i = 0; i < BINS; i++) {
        double fill = admitted * KEYS_PER_REQUEST * access_share[i] / (KEYS * key_share[i]) * (1 - lost);
        double x = u[X + i];
        du[X + i] = fill * (1 - x) - x / TTL;
        if (now->flush == 0) continue;
        double y = u[Y + i];
        du[X + i] -= now->flush * y;
        du[Y + i] = fill * (1 - y) - y / TTL;
    }
    double ratio = v / (n * b), d = ratio - 1; /* variance over mean, in units of b */
    double idle = exp(-n / b * (fabs(d) > 1e-8 ? log(ratio) / d : 1 - d / 2));
    double accepted = load * (1 - refused);
    du[Q] = accepted - MU * (1 - idle);
    du[V] = b * (accepted + MU * (1 - idle)) - 2 * MU * n * idle - 64 * load * refused * v / n;
    du[S] = admitted * (1 - miss * lost) - u[S] / SESSION;
    double again = (1 - GIVE_UP) * failed;
    for (int j = 0; j < STAGES; j++) du[Z + j] = again * (j ? flow[j - 1] : boots) - flow[j];
    du[Z + STAGES - 1] += again * flow[STAGES - 1];
}

static int rhs(double t, N_Vector u, N_Vector du, void *now) {
    evaluate(t, N_VGetArrayPointer(u), now, N_VGetArrayPointer(du), NULL);
    return 0;
}

/* The state at rest at t = 0, where nothing fails. */
static void healthy(double *u) {
    double boots = BOOTS * profile(0), background = BACKGROUND * profile(0), hit = 0;
    memset(u, 0, STATES * sizeof *u);
    for (int i = 0; i < BINS; i++) {
        double seen = boots * KEYS_PER_REQUEST * access_share[i] / (KEYS * key_share[i]) * TTL;
        hit += access_share[i] * (u[X + i] = seen / (1 + seen));
    }
    double queries = boots * (1 - pow(hit, KEYS_PER_REQUEST)), load = WORK * queries + background;
    double b = (WORK * WORK * queries + background) / load, n = load / (MU - load);
    u[Q] = b * n;
    u[V] = b * b * (n + n * n);
    u[S] = boots * SESSION;
}

static void check(int flag) {
    if (flag >= 0) return;
    fprintf(stderr, "slack_cvode: %s\n", CVodeGetReturnFlagName(flag));
    exit(1);
}

/* Integrates the day into rows, one every GRID seconds, and returns what it took. */
static struct cost simulate(SUNContext context, double rtol, struct row *rows) {
    struct cost total = {0};
    double u[STATES], t = 0, flush = 0;
    int count = 0, segments = sizeof INSTANTS / sizeof *INSTANTS - 1;
    healthy(u);
    for (int i = 0; i < segments; i++) {
        double end = INSTANTS[i + 1];
        struct forcing now = forcing_at(t = INSTANTS[i]);
        int states = now.flush > 0 ? STATES : Y;
        if (now.flush > 0 && flush == 0) memcpy(u + Y, u + X, BINS * sizeof *u); /* the step starts */
        flush = now.flush;

        N_Vector state = N_VMake_Serial(states, u, context);
        SUNMatrix matrix = SUNDenseMatrix(states, states, context);
        SUNLinearSolver solver = SUNLinSol_Dense(state, matrix, context);
        optimise(state, matrix, solver);
        void *cvode = CVodeCreate(CV_BDF, context);
        check(CVodeInit(cvode, rhs, t, state));
        check(CVodeSStolerances(cvode, rtol, rtol / 100));
        check(CVodeSetUserData(cvode, &now));
        check(CVodeSetLinearSolver(cvode, solver, matrix));
        check(CVodeSetMaxNumSteps(cvode, 1000000));
        check(CVodeSetStopTime(cvode, end));
        while (t < end) {
            double next = count * GRID;
            if (t == next) evaluate(t, u, &now, NULL, &rows[count++]);
            check(CVode(cvode, fmin(count * GRID, end), state, &t, CV_NORMAL));
        }
        long steps, evaluations, more, factorisations;
        CVodeGetNumSteps(cvode, &steps);
        CVodeGetNumRhsEvals(cvode, &evaluations);
        CVodeGetNumLinRhsEvals(cvode, &more);
        CVodeGetNumLinSolvSetups(cvode, &factorisations);
        total.steps += steps;
        total.evaluations += evaluations + more;
        total.factorisations += factorisations;
        CVodeFree(&cvode);
        SUNLinSolFree(solver);
        SUNMatDestroy(matrix);
        N_VDestroy(state);
    }
    struct forcing now = forcing_at(t);
    evaluate(t, u, &now, NULL, &rows[count]);
    return total;
}

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec + 1e-9 * now.tv_nsec;
}

int main(int argc, char **argv) {
    double rtol = argc > 1 ? atof(argv[1]) : 1e-6, best = INFINITY;
    int repeat = argc > 2 ? atoi(argv[2]) : 1, count = 1 + (int)(DURATION / GRID);
    struct row rows[count];
    struct cost cost;
    SUNContext context;
    check(SUNContext_Create(NULL, &context));
    setup();
    for (int i = 0; i < repeat; i++) {
        double start = cpu_seconds();
        cost = simulate(context, rtol, rows);
        best = fmin(best, cpu_seconds() - start);
    }
    puts("t_s,boots_per_s,attempts_per_s,admitted_per_s,boot_success,waiting_clients,sessions,"
         "hit_rate.gdm_members,miss.gdm_members,success.gdm_members,"
         "load.main,in_system.main,timeout.main,refused.main");
    for (struct row *r = rows; r < rows + count; r++)
        printf("%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", r->t, r->boots,
               r->attempts, r->admitted, r->success, r->waiting, r->sessions, r->hit, r->miss, r->success, r->load,
               r->n, r->timeout, r->refused);
    fprintf(stderr, "cvode-bdf rtol %g: %.2f ms of CPU, %ld evaluations, %ld steps, %ld factorisations\n", rtol, 1e3 * best,
            cost.evaluations, cost.steps, cost.factorisations);
    SUNContext_Free(&context);
    return 0;
}
