#!/bin/sh
# Gemini CLI reads GEMINI.md. Memory stands there while it works, and the file is as it was afterwards.
# Usage: gemini.sh "fix the login redirect"
set -eu
exec nokosu run --inject files=GEMINI.md -- gemini -p "$1"
