#!/usr/bin/env bash
# Looks at both TLS ports of an appliance of its own (loopback, a temporary folder) with sslscan, testssl and nmap.
#
#   security-scan.sh [REPORT_FOLDER]
#
# Prints what the tools hold against it, with the reason where there is one; the full reports stay in REPORT_FOLDER when it is
# named. Ends with 1 when something is found that has no reason.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# What the tools say and why it stays: identifier of testssl, a tab, the reason. No other finding is accepted.
accepted() {
  printf '%s\t%s\n' \
    cert_chain_of_trust 'issued by the appliance'\''s own authority, which no public store knows' \
    cert_revocation 'readers are looked up in the store at every connection; the list is at /pki/ca.crl for who wants it' \
    DNS_CAArecord 'a box on a local network has no public DNS name' \
    engine_problem 'of testssl itself: its OpenSSL has no GOST' \
    sessionresumption_ticket 'testssl could not try it; tickets are of this process only' \
    secure_client_renego 'testssl has no client certificate; sslscan tries it, see above' \
    BREACH 'testssl has no client certificate; the broker speaks no HTTP, and HTTPS does not compress'
}

for tool in sslscan testssl nmap curl; do
  command -v "$tool" >/dev/null || { echo "security-scan: $tool is not installed" >&2; exit 1; }
done

work=$(mktemp -d)
reports=${1:-$work/reports}
mkdir -p "$reports"
server=''
stop() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  [ -z "$server" ] || wait "$server" 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT

export TAGKEEP_DATA_DIR=$work/data TAGKEEP_CERTS_DIR=$work/certs
export TAGKEEP_HTTP__PORT=0 TAGKEEP_HTTPS__PORT=0 TAGKEEP_MQTTS__PORT=0
export TAGKEEP_HTTPS__HOST=127.0.0.1 TAGKEEP_MQTTS__HOST=127.0.0.1
node scripts/tagkeep.mjs serve >"$work/log" 2>&1 &
server=$!

endpoints=$work/data/run/endpoints.json
for _ in $(seq 300); do
  [ -s "$endpoints" ] && break
  kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
port_of() { sed -n "s/.*\"$1\": *\"[^\"]*:\([0-9]*\)\".*/\1/p" "$endpoints"; }
https=$(port_of https)
mqtts=$(port_of mqtts)
if [ -z "$https" ] || [ -z "$mqtts" ]; then
  echo 'security-scan: the appliance did not start' >&2
  exit 1
fi

# scan NAME PORT
scan() {
  sslscan --no-colour --show-certificate "127.0.0.1:$2" >"$reports/sslscan-$1.txt" 2>&1 || true
  nmap -Pn -p "$2" --script ssl-enum-ciphers,ssl-cert,ssl-dh-params,ssl-heartbleed,ssl-poodle,ssl-ccs-injection \
    127.0.0.1 >"$reports/nmap-$1.txt" 2>&1 || true
  rm -f "$reports/testssl-$1.json"
  testssl --quiet --connect-timeout 10 --openssl-timeout 10 --color 0 --warnings batch --ip one --jsonfile "$reports/testssl-$1.json" \
    "127.0.0.1:$2" >"$reports/testssl-$1.txt" 2>&1 || true
  [ -s "$reports/testssl-$1.json" ] || { echo "security-scan: testssl wrote no report of $1" >&2; exit 1; }
}

# findings NAME: "severity identifier finding" of everything testssl thinks worse than OK or information.
findings() {
  node -e '
    const all = JSON.parse(require("node:fs").readFileSync(process.argv[1], "utf8"));
    for (const { id, severity, finding } of all)
      if (!["OK", "INFO", "DEBUG"].includes(severity)) console.log([severity, id, finding.replace(/\s+/g, " ")].join("\t"));
  ' "$reports/testssl-$1.json"
}

unexplained=0
# summary NAME PORT
summary() {
  printf '\n%s\n' "== $1"
  echo 'protocols and suites offered (sslscan):'
  sed -n -E 's/^(SSLv[23]|TLSv1\.[0-3]) +(enabled|disabled).*/  \1 \2/p; s/^(Preferred|Accepted) +(TLSv1\.[0-3]) +([0-9]+) bits +([^ ]+) *(.*)/  \2 \4 \5/p' "$reports/sslscan-$1.txt"
  printf '  least strength (nmap): %s\n' "$(sed -n 's/.*least strength: *//p' "$reports/nmap-$1.txt" | tail -1)"
  if grep -Eq 'VULNERABLE' "$reports/nmap-$1.txt"; then
    echo '  nmap says VULNERABLE'
    unexplained=$((unexplained + 1))
  fi
  # Renegotiation that a client begins is work for free; sslscan tries it before it has to show a certificate.
  if grep -q 'renegotiation not supported' "$reports/sslscan-$1.txt"; then
    echo '  renegotiation by the client: refused'
  else
    echo '  FOUND: renegotiation by the client is not refused'
    unexplained=$((unexplained + 1))
  fi
  if sed -n 's/^TLSv1\.[23] .* bits  //p' "$reports/sslscan-$1.txt" | grep -Eqv 'x25519|secp256r1|secp384r1'; then
    echo '  FOUND: other groups for key exchange than X25519, P-256 and P-384'
    unexplained=$((unexplained + 1))
  fi
  local severity id finding reason
  while IFS=$'\t' read -r severity id finding; do
    # One certificate of several has its number behind.
    reason=$(accepted | awk -F'\t' -v id="${id%% <*}" '$1 == id { print $2 }')
    if [ -n "$reason" ]; then
      printf '  left: %s (%s: %s): %s\n' "$id" "$severity" "$finding" "$reason"
    else
      printf '  FOUND: %s (%s): %s\n' "$id" "$severity" "$finding"
      unexplained=$((unexplained + 1))
    fi
  done < <(findings "$1")
}

scan https "$https"
scan broker "$mqtts"
summary https
summary broker
printf '\n%s findings without a reason\n' "$unexplained"
[ "$unexplained" = 0 ]
