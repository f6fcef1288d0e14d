#!/bin/sh
# Codex CLI reads AGENTS.md. Memory stands there while Codex works, and the file is as it was afterwards.
# Usage: codex.sh "fix the login redirect"
set -eu
exec nokosu run --inject files=AGENTS.md -- codex exec "$1"
