#!/bin/sh
# One step of an agent in a container: clones the repository, gives the agent its role, personality and memories, runs it,
# pushes its commits and keeps what it learned. Exits with the agent's own code.
#
# AGENT_NAME, PROJECT_ID and PROMPT say who does what; REPO_URL and BRANCH where. Optional: ROLE, WORKSPACE (/workspace),
# EXTRACT (on or off), NOKOSU (the command line, `nokosu`), AGENT_COMMAND (`claude`). NOKOSU_DB chooses the store. Arguments
# go to the agent's command.
#
# NOKOSU_STORE_TIMEOUT (10) are the seconds that the store may take before and after the agent: nobody waits at a keyboard, and a cold
# network is slow. What could not be delivered by then waits in NOKOSU_STATE for the next step: a folder in a volume that outlives the
# container.
set -eu

: "${AGENT_NAME:?say which agent}" "${PROJECT_ID:?say which project}" "${PROMPT:?say what to do}"

set -- -- "${AGENT_COMMAND:-claude}" -p "$PROMPT" --output-format stream-json --verbose "$@"
if [ -n "${REPO_URL:-}" ]; then set -- --repo "$REPO_URL" --push "$@"; fi
if [ -n "${BRANCH:-}" ]; then set -- --branch "$BRANCH" "$@"; fi
if [ -n "${ROLE:-}" ]; then set -- --role "$ROLE" "$@"; fi

exec "${NOKOSU:-nokosu}" run --trace --inject files --extract "${EXTRACT:-on}" --agent "$AGENT_NAME" --project "$PROJECT_ID" \
  --store-timeout "${NOKOSU_STORE_TIMEOUT:-10}" --workspace "${WORKSPACE:-/workspace}" "$@"
