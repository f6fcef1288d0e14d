#!/bin/sh
# Any program can be the agent: what is known stands in NOKOSU_CONTEXT, and a marker on standard output is remembered.
if printf '%s' "$NOKOSU_CONTEXT" | grep -q 'Must be started after WireGuard'; then
  echo 'Started caddy after WireGuard, at the first try.'
else
  echo 'Caddy failed, then worked.'
  echo '[MEMORY:dependency:caddy] Must be started after WireGuard'
fi
