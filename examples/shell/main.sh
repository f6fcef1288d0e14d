#!/bin/sh
# Runs the agent twice with memory: nokosu run takes any command.
set -eu
here=$(dirname "$0")
for day in monday tuesday; do
  printf '%s: ' "$day"
  nokosu run --project shop --session "$day" -- sh "$here/agent.sh"
done
