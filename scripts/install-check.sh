#!/usr/bin/env bash
# Runs install.sh in a clean Debian folder (made by debootstrap) that has no Node and no running service manager: installs,
# upgrades in place, takes it off again with the data left. By hand and as root.
#
#   install-check.sh BASE BINARY
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
fail() {
  printf 'install-check: %s\n' "$*" >&2
  exit 1
}
[ $# = 2 ] || fail 'usage: install-check.sh BASE BINARY'
[ "$(id -u)" = 0 ] || fail 'must be run by root'
work=$(mktemp -d)
box=$work/box
trap 'rm -rf --one-file-system "$work"' EXIT
cp -a "$1" "$box"
mkdir "$box/new"
cp "$2" "$box/new/tagkeep"
cp "$here/install.sh" "$here/tagkeep.service" "$box/new/"

# in_box COMMAND…: with a /proc of its own that goes away with it.
in_box() {
  # shellcheck disable=SC2016  # expanded by the inner shell
  unshare --mount --propagation private sh -c '
    mount -t proc proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot "$0" "$@"' "$box" "$@"
}
owner() { in_box stat -c '%U:%G %a' "$1"; }
expect() { [ "$(owner "$1")" = "$2" ] || fail "$1 is $(owner "$1"), not $2"; }

in_box /new/install.sh /new/tagkeep --no-start
expect /var/lib/tagkeep 'tagkeep:tagkeep 700'
expect /etc/tagkeep 'root:tagkeep 750'
expect /etc/tagkeep/appliance.config.json 'root:tagkeep 640'
expect /usr/local/bin/tagkeep 'root:root 755'
echo 'installed: user, folders, unit and configuration are in place'

# What the unit does, as far as it goes without a service manager.
as_service() {
  in_box setpriv --reuid=tagkeep --regid=tagkeep --clear-groups env -i HOME=/var/lib/tagkeep \
    CACHE_DIRECTORY=/var/cache/tagkeep /usr/local/bin/tagkeep "$@" --config /etc/tagkeep/appliance.config.json
}
in_box install -d -o tagkeep -g tagkeep -m 0700 /var/cache/tagkeep
as_service init >/dev/null
fingerprint=$(sha256sum <"$box/var/lib/tagkeep/certs/ca.crt")
echo '{"dataDir": "/var/lib/tagkeep/data", "certsDir": "/var/lib/tagkeep/certs", "log": {"level": "warn"}}' \
  >"$box/etc/tagkeep/appliance.config.json"
in_box /new/install.sh /new/tagkeep --no-start
grep -q '"warn"' "$box/etc/tagkeep/appliance.config.json" || fail 'the upgrade changed the configuration'
[ -x "$box/usr/local/bin/tagkeep.previous" ] || fail 'the program before is gone'
as_service reader list >/dev/null
echo 'upgraded in place: configuration and data stay, and are used'

in_box /new/install.sh --uninstall --no-start
gone() { for one in "$@"; do [ ! -e "$box$one" ] || fail "$one is still there"; done; }
gone /usr/local/bin/tagkeep /etc/systemd/system/tagkeep.service
[ "$fingerprint" = "$(sha256sum <"$box/var/lib/tagkeep/certs/ca.crt")" ] || fail 'the data is gone'
echo 'uninstalled: data and configuration stay'
echo delete | in_box /new/install.sh --uninstall --purge --no-start >/dev/null
gone /var/lib/tagkeep /etc/tagkeep
! grep -q '^tagkeep:' "$box/etc/passwd" || fail 'the user is left'
echo 'purged: nothing is left'
