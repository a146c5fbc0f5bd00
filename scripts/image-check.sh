#!/usr/bin/env bash
# Does what the Dockerfile says without a container engine, in a clean Debian folder, and runs what comes out as a container
# would: as the image's user, everything read-only but the volumes. By hand and as root: it takes minutes and 700 MB.
#
#   image-check.sh [BASE]      BASE: a folder made by debootstrap, used again when it is there
#
# COPY, RUN install, ENV, USER, VOLUME, HEALTHCHECK, ENTRYPOINT and CMD are read from the Dockerfile. The base image is Debian from
# the mirror that apt uses here, with this machine's Node.
set -euo pipefail
checkout=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
fail() {
  printf 'image-check: %s\n' "$*" >&2
  exit 1
}
[ "$(id -u)" = 0 ] || fail 'must be run by root'
command -v debootstrap >/dev/null || fail 'debootstrap is not installed'

work=$(mktemp -d)
base=${1:-$work/base}
image=$work/image
container=''
stop() {
  [ -z "$container" ] || kill -9 "$container" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap stop EXIT

# Instructions with their continuation lines joined, comments gone: of the last stage, or of the one before.
instructions() { sed -e '/^#/d' "$checkout/Dockerfile" | sed -e ':a' -e '/\\$/N; s/\\\n */ /; ta'; }
last_stage() { instructions | awk '/^FROM /{ text = "" } { text = text $0 "\n" } END { printf "%s", text }'; }
first_stage() { instructions | awk '/^FROM /{ n++ } n == 1'; }
# value NAME: what stands after an instruction of the last stage.
value() { last_stage | sed -n "s/^$1 //p" | tail -1; }

debian_base() {
  [ -d "$base/usr/bin" ] && return
  local mirror
  # shellcheck disable=SC2016  # a variable of apt's own
  mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m1 '/debian/*$') ||
    fail 'apt names no Debian mirror'
  debootstrap --variant=minbase bookworm "$base" "$mirror" >"$work/debootstrap.log" 2>&1 ||
    fail "debootstrap failed: $(tail -1 "$work/debootstrap.log")"
}

# As in the official image: Node in /usr/local and the user node with number 1000.
node_base() {
  cp -a "$base" "$image"
  install -D -m 0755 "$(readlink -f "$(command -v node)")" "$image/usr/local/bin/node"
  grep -q '^node:' "$image/etc/passwd" || chroot "$image" useradd --uid 1000 --user-group --create-home node
  ldd "$image/usr/local/bin/node" | awk '$2 == "=>" { print $3 }' | while read -r library; do
    [ -e "$image$library" ] || cp -L --parents "$library" "$image"
  done
}

# What stage one ends with. Its packages are those of the checkout; the network is left out.
build_stage() {
  local stage=$work/build from
  mkdir -p "$stage"
  while read -r from; do
    for one in ${from% *}; do cp -a "$checkout/$one" "$stage/"; done
  done < <(first_stage | sed -n 's/^COPY //p')
  first_stage | grep -q '^RUN npm run build && npm prune --omit=dev' || fail 'the build stage does something else now'
  ln -s "$(readlink -f "$checkout/node_modules")" "$stage/node_modules"
  (cd "$stage" && npm run --silent build)
  rm "$stage/node_modules"
  mkdir "$stage/node_modules"
  (
    cd "$(readlink -f "$checkout/node_modules")/.."
    node -e '
      const { packages } = JSON.parse(require("node:fs").readFileSync("package-lock.json", "utf8"));
      for (const [place, entry] of Object.entries(packages))
        if (/^node_modules\/(@[^/]+\/)?[^/]+$/.test(place) && !entry.dev && require("node:fs").existsSync(place)) console.log(place);
    ' | tar -cf - -T - | tar -xf - -C "$stage"
  )
}

# The instructions of the last stage that change files, in their order.
final_stage() {
  local workdir line
  workdir=$(value WORKDIR)
  mkdir -p "$image$workdir"
  while read -r line; do
    case $line in
      'RUN install '*) chroot "$image" sh -c "${line#RUN }" ;;
      'RUN '*) fail "does not know how to do: $line" ;;
      'COPY '*) copy_files "$image$workdir" "${line#COPY }" ;;
    esac
  done < <(last_stage)
}

# copy_files WORKDIR "[--from=build] SOURCE… TARGET"
copy_files() {
  local from=$checkout words target one
  read -ra words <<<"$2"
  if [ "${words[0]}" = --from=build ]; then
    from=$work/build
    words=("${words[@]:1}")
  fi
  target=$1/${words[-1]}
  unset 'words[-1]'
  for one in "${words[@]}"; do
    # A folder's contents are copied, as Docker does.
    if [ -d "$from/${one#/app/}" ]; then
      mkdir -p "$target"
      cp -a "$from/${one#/app/}/." "$target"
    else
      mkdir -p "${target%/*}"
      cp -a "$from/${one#/app/}" "$target"
    fi
  done
}

# A JSON list as words for the shell.
words() { node -e 'for (const one of JSON.parse(process.argv[1])) process.stdout.write(one + "\0")' "$1"; }

# in_container COMMAND…: as the image's user in a file system of its own, read-only but the volumes and /tmp.
in_container() {
  local user volumes
  user=$(value USER)
  mapfile -d '' -t volumes < <(words "$(value VOLUME)")
  # shellcheck disable=SC2016  # expanded by the inner shell
  exec unshare --mount --propagation private bash -c '
    set -e
    image=$1 user=$2 workdir=$3; shift 3
    mount --bind "$image" "$image"
    mount -t proc proc "$image/proc"
    mount -t tmpfs tmpfs "$image/tmp"
    mount --bind /dev "$image/dev"
    while [ "$1" != -- ]; do mount --bind "$image$1" "$image$1"; shift; done
    shift
    mount -o remount,ro,bind "$image"
    exec chroot --userspec="$user:$user" "$image" \
      /usr/bin/env -i -C "$workdir" PATH=/usr/local/bin:/usr/bin:/bin "$@"
  ' - "$image" "$user" "$(value WORKDIR)" "${volumes[@]}" -- "$@"
}

environment() { last_stage | sed -n 's/^ENV //p' | tr ' ' '\n'; }

run_container() {
  local command check
  mapfile -t variables < <(environment)
  # The ports of the image may be taken on this machine.
  variables+=(TAGKEEP_HTTP__PORT=0 TAGKEEP_HTTPS__PORT=0 TAGKEEP_HTTPS__HOST=127.0.0.1)
  variables+=(TAGKEEP_MQTTS__PORT=0 TAGKEEP_MQTTS__HOST=127.0.0.1)
  mapfile -d '' -t command < <(words "$(value ENTRYPOINT)"; words "$(value CMD)")
  (in_container env "${variables[@]}" "${command[@]}") >"$work/log" 2>&1 &
  container=$!
  mapfile -d '' -t check < <(words "$(value HEALTHCHECK | sed 's/^.*CMD //')")
  for _ in $(seq 120); do
    kill -0 "$container" 2>/dev/null || fail "it ended: $(tail -3 "$work/log")"
    if (in_container env "${variables[@]}" "${check[@]}") >/dev/null 2>&1; then return; fi
    sleep 0.5
  done
  fail "the health check never passes: $(tail -3 "$work/log")"
}

size_of() { du -sm "$1" | cut -f1; }

debian_base
node_base
before=$(size_of "$image")
build_stage
final_stage
run_container
echo "health check passes, as user $(value USER), root file system read-only"
if (in_container touch /app/x) 2>/dev/null; then fail '/app can be written'; fi
owner=$(stat -c '%U' "/proc/$container") || fail 'it is gone'
[ "$(ps -o uid= -p "$container" | tr -d ' ')" = 1000 ] || fail "it runs as $owner"
loose=$(find "$image/data" "$image/certs" -perm /077 ! -name '*.crt' | head -3)
[ -z "$loose" ] || fail "others may look into: $loose"
kill "$container"
code=0
wait "$container" || code=$?
container=''
[ "$code" = 0 ] || fail "SIGTERM ends it with $code: $(tail -3 "$work/log")"
echo 'SIGTERM ends it with 0'
[ -s "$image/app/dist/THIRD-PARTY-LICENCES.txt" ] || fail 'the licences of packages are not in it'
[ -s "$image/app/dist/hub/files.json" ] || fail 'the hub is not in it'
printf 'sizes: base with Node %s MB, application %s MB (packages %s MB, bundle %s MB)\n' \
  "$before" "$(size_of "$image/app")" "$(size_of "$image/app/node_modules")" "$(size_of "$image/app/dist")"
