package cli

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const slurmConf = `ClusterName=private
SlurmctldHost=%[1]s(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=%[2]s/munge.socket
CryptoType=crypto/munge
SlurmctldPort=%[3]d
SlurmdPort=%[4]d
StateSaveLocation=%[2]s/state
SlurmdSpoolDir=%[2]s/spool
SlurmctldPidFile=%[2]s/slurmctld.pid
SlurmdPidFile=%[2]s/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=%[1]s NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
`

// startSlurm starts a cluster of this machine alone, on ports of its own, in a folder that
// goes away with it; commands find it in the environment.
func startSlurm(t *testing.T) {
	t.Helper()
	skip := t.Skipf
	if os.Getenv("CI") == "true" {
		skip = t.Fatalf
	}
	for _, name := range []string{"munged", "slurmctld", "slurmd", "sbatch", "scancel"} {
		if _, err := exec.LookPath(name); err != nil {
			skip("no Slurm: %v", err)
		}
	}
	if os.Getuid() != 0 {
		skip("a private slurmd has to be started by root")
	}
	dir, err := os.MkdirTemp("", "slurm") // a socket has a short path
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil { // clients find the socket as any user
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	conf := filepath.Join(dir, "slurm.conf")
	for path, text := range map[string]string{
		conf:                            fmt.Sprintf(slurmConf, host, dir, freePort(t), freePort(t)),
		filepath.Join(dir, "munge.key"): strings.Repeat("k", 128),
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, sub := range []string{"state", "spool"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("SLURM_CONF", conf)
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, args := range [][]string{
		{"munged", "--foreground", "--force", "--key-file", in("munge.key"), "--socket", in("munge.socket"), "--pid-file", in("munged.pid"), "--log-file", in("munged.log"), "--seed-file", in("munged.seed")},
		{"slurmctld", "-D", "-i", "-f", conf},
		{"slurmd", "-D", "-f", conf, "-N", host},
	} {
		var out bytes.Buffer
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			cmd.Process.Signal(syscall.SIGTERM)
			cmd.Wait()
			if t.Failed() {
				t.Logf("%s: %s", args[0], &out)
			}
		})
		if args[0] == "munged" {
			await(t, "munged", func() bool { _, err := os.Stat(in("munge.socket")); return err == nil })
		}
	}
	await(t, "a node", func() bool {
		out, _ := exec.Command("sinfo", "-h", "-o", "%T").Output()
		return strings.TrimSpace(string(out)) == "idle"
	})
	t.Cleanup(func() { exec.Command("scancel", "--user=root").Run() }) // before the daemons end
}

func freePort(t *testing.T) int {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}

// await waits for what takes seconds, and not forever.
func await(t *testing.T, what string, there func() bool) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); !there(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%s does not appear", what)
		}
	}
}

// A sweep as an array of Slurm, one task of which is killed while it runs, and its
// merge: the bytes of one process.
func TestSweep_slurm_invariant(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a cluster")
	}
	startSlurm(t)
	dir := t.TempDir()
	args := []string{uncertainFlush(t), "--vary", "timeline.0.flush=20%..50%:4", "--draws", "130"}
	mustRun(t, dir, append([]string{"sweep", "-q", "-o", "whole.csv"}, args...)...)
	mustRun(t, dir, append([]string{"sweep", "plan", "-o", "parts"}, args...)...)

	// What the tasks run says which process it is, and saves often.
	program, err := exec.LookPath("metastable")
	if err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\n[ \"$2\" = run ] || exec " + program + " \"$@\"\n" +
		"echo $$ >>" + dir + "/pid-$SLURM_ARRAY_TASK_ID\nexec " + program + " \"$@\" --checkpoint 10ms\n"
	wrapper := filepath.Join(dir, "metastable.sh")
	if err := os.WriteFile(wrapper, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "sweep", "submit", "parts", "--engine", "slurm", "--shards", "3", "--program", wrapper, "-o", "merged.csv")

	const victim = 1
	await(t, "a checkpoint", func() bool { _, err := os.Stat(shardFile(filepath.Join(dir, "parts"), victim, 3)); return err == nil })
	pid, err := strconv.Atoi(strings.TrimSpace(string(mustRead(t, filepath.Join(dir, fmt.Sprintf("pid-%d", victim))))))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	merged := filepath.Join(dir, "merged.csv")
	await(t, "the merged file", func() bool { _, err := os.Stat(merged); return err == nil })
	if !bytes.Equal(mustRead(t, merged), mustRead(t, filepath.Join(dir, "whole.csv"))) {
		t.Error("other bytes")
	}
	log := string(mustRead(t, filepath.Join(dir, "parts", fmt.Sprintf("slurm-%d.out", victim))))
	if !strings.Contains(log, "Killed") || !strings.Contains(log, "going on after ") {
		t.Errorf("the task was not killed, or did not go on:\n%s", log)
	}
}
