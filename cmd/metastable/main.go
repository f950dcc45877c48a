// Command metastable models how distributed systems fall into outages that outlive
// their cause, and how they come home. metastable help lists its commands.
package main

import (
	"context"
	"os"

	"github.com/metastable/metastable/internal/cli"
)

func main() { os.Exit(cli.Do(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
