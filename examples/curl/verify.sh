#!/bin/sh
# Verifies an API key with Turnpike and meters one call.
#
#   API_KEY=... verify.sh [COST]
#
# The key is no argument, for other users see the arguments of a program.
# Exit code 0: valid. 1: refused. 2: no verdict.
set -u
: "${TURNPIKE_URL:?is not set}" "${TURNPIKE_SERVICE_KEY:?is not set}"

# Keys that were made elsewhere hold more than ours do. None of these needs escaping in JSON.
case "${API_KEY-}" in
  "" | *[!A-Za-z0-9_.:+/=~-]*) echo "verify.sh: API_KEY holds no API key" >&2; exit 2 ;;
esac
case "${1-1}" in
  "" | *[!0-9]*) echo "verify.sh: the cost is a whole number" >&2; exit 2 ;;
esac

# Headers and body go by a file descriptor and standard input, for curl is a program with arguments, too.
answer=$(
  printf '{"key":"%s","cost":%s}' "$API_KEY" "${1-1}" |
    curl --silent --show-error --fail --max-time 5 \
      --config /dev/fd/3 --data-binary @- "$TURNPIKE_URL/v1/keys/verify" 3<<EOF
header = "Authorization: Bearer $TURNPIKE_SERVICE_KEY"
header = "Content-Type: application/json"
EOF
) || exit 2

printf '%s\n' "$answer"
# Only the beginning: behind it stands what tenants wrote themselves, such as the metadata of a key. What begins otherwise is no
# verdict: a redirect, or a page of something in between.
case "$answer" in
  '{"valid":true,'*) exit 0 ;;
  '{"valid":false,'*) exit 1 ;;
  *) exit 2 ;;
esac
