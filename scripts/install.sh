#!/bin/sh
# Puts the one-file Tagkeep on a plain Debian box as a service, replaces it by another version, and takes it off again.
#
#   install.sh BINARY [--no-start]   install, or upgrade what is installed; goes back by itself when it does not get ready
#   install.sh --uninstall           remove program and service; data, configuration and user stay
#   install.sh --uninstall --purge   remove these too, after asking
#
# DESTDIR is put in front of every path; with it no user is made and no owner changed.
set -eu
umask 022

DESTDIR=${DESTDIR:-}
SYSTEMCTL=${SYSTEMCTL:-systemctl}
READY_SECONDS=${READY_SECONDS:-30}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

program=$DESTDIR/usr/local/bin/tagkeep
unit=$DESTDIR/etc/systemd/system/tagkeep.service
settings=$DESTDIR/etc/tagkeep
state=$DESTDIR/var/lib/tagkeep
cache=$DESTDIR/var/cache/tagkeep
# There while the installed program has not got ready yet.
unproven=$program.unproven

# Where the service keeps its data: its environment's word, else the configuration's; it may be another folder.
data_dir() {
  named=$(sed -n 's/^TAGKEEP_DATA_DIR="\{0,1\}\([^"]*\)"\{0,1\}$/\1/p' "$settings/environment" 2>/dev/null | tail -n 1)
  [ -n "$named" ] || named=$(sed -n 's/.*"dataDir" *: *"\([^"]*\)".*/\1/p' "$settings/appliance.config.json" 2>/dev/null | head -n 1)
  case $named in
    '') printf '%s\n' "$state/data" ;;
    /*) printf '%s\n' "$DESTDIR$named" ;;
    *) printf '%s\n' "$settings/$named" ;;
  esac
}

say() { printf '%s\n' "$*"; }
fail() {
  printf 'install.sh: %s\n' "$*" >&2
  exit 1
}
usage() {
  printf 'usage: install.sh BINARY [--no-start] | --uninstall [--purge]\n' >&2
  exit 2
}

binary='' start=yes action=install purge=no
for argument in "$@"; do
  case $argument in
    --no-start) start=no ;;
    --uninstall) action=uninstall ;;
    --purge) purge=yes ;;
    -*) usage ;;
    *) [ -z "$binary" ] || usage; binary=$argument ;;
  esac
done
case $action in
  install) { [ -n "$binary" ] && [ "$purge" = no ]; } || usage ;;
  uninstall) [ -z "$binary" ] || usage ;;
esac

[ -n "$DESTDIR" ] || [ "$(id -u)" = 0 ] || fail 'must be run by root'
# A path from the root is what the service will use; anything else would end up in the current folder.
case $DESTDIR in '' | /*) ;; *) fail "DESTDIR is \"$DESTDIR\"; must start with /" ;; esac

has_service_manager() { [ "$start" = yes ]; }

make_user() {
  [ -z "$DESTDIR" ] || return 0
  id tagkeep >/dev/null 2>&1 && return 0
  useradd --system --user-group --home-dir /var/lib/tagkeep --no-create-home --shell /usr/sbin/nologin tagkeep
}

# make_folder MODE OWNER FOLDER
make_folder() {
  mkdir -p "$3"
  chmod "$1" "$3"
  [ -n "$DESTDIR" ] || chown "$2" "$3"
}

make_folders() {
  make_folder 0700 tagkeep:tagkeep "$state"
  make_folder 0750 root:tagkeep "$settings"
  mkdir -p "${program%/*}" "${unit%/*}"
}

# The administrator's own configuration is never touched.
make_settings() {
  file=$settings/appliance.config.json
  [ ! -e "$file" ] || return 0
  printf '{\n  "dataDir": "/var/lib/tagkeep/data",\n  "certsDir": "/var/lib/tagkeep/certs"\n}\n' >"$file.new"
  chmod 0640 "$file.new"
  [ -n "$DESTDIR" ] || chown root:tagkeep "$file.new"
  mv "$file.new" "$file"
}

# copy MODE FROM TO: TO is the old file or the whole new one.
copy() {
  cp "$2" "$3.new"
  chmod "$1" "$3.new"
  mv "$3.new" "$3"
}

version_of() { XDG_CACHE_HOME=$scratch "$1" --version 2>/dev/null; }

origin_of_service() { sed -n 's/.*"http": *"\([^"]*\)".*/\1/p' "$endpoints"; }

# Asks over HTTP with what the box has; without either, the program's own word that it serves has to do.
answers_ready() {
  [ -s "$endpoints" ] || return 1
  origin=$(origin_of_service)
  [ -n "$origin" ] || return 1
  if command -v curl >/dev/null; then
    curl -fsS -k --noproxy "*" -o /dev/null --max-time 2 "$origin/readyz" 2>/dev/null
  elif command -v wget >/dev/null; then
    wget -q -O /dev/null --no-proxy --no-check-certificate -T 2 -t 1 "$origin/readyz"
  else
    "$SYSTEMCTL" is-active --quiet tagkeep
  fi
}

gets_ready() {
  left=$READY_SECONDS
  while [ "$left" -gt 0 ]; do
    if answers_ready; then return 0; fi
    sleep 1
    # Data that is being upgraded takes as long as it takes.
    if [ -e "$upgrading" ] && "$SYSTEMCTL" is-active --quiet tagkeep; then continue; fi
    left=$((left - 1))
  done
  return 1
}

start_service() {
  "$SYSTEMCTL" daemon-reload
  "$SYSTEMCTL" enable tagkeep >/dev/null 2>&1
  "$SYSTEMCTL" start tagkeep
}

# shellcheck disable=SC2012 # only the number is taken; stat is not everywhere the same
inode() { ls -di "$1" | { read -r number _ && printf '%s\n' "$number"; }; }

# Renamed, not copied: the disk may have filled up meanwhile. Two names of one file can't be renamed to each other.
put_back_one() {
  [ -e "$1.previous" ] || return 0
  if [ -e "$1" ] && [ "$(inode "$1")" = "$(inode "$1.previous")" ]; then
    rm -f "$1.previous"
  else
    mv -f "$1.previous" "$1"
  fi
}

# The program before takes its place again.
put_back() {
  put_back_one "$program"
  put_back_one "$unit"
  rm -f "$unproven" "$endpoints"
}

go_back() {
  "$SYSTEMCTL" stop tagkeep || true
  if [ ! -e "$program.previous" ]; then
    phase=over
    fail "it did not get ready in $READY_SECONDS s; see: journalctl -u tagkeep"
  fi
  put_back
  start_service || true
  phase=over
  gets_ready || fail "version $new did not get ready, nor does the one before (data that was upgraded stays so: README, Upgrade); see: journalctl -u tagkeep"
  fail "version $new did not get ready in $READY_SECONDS s; the one before runs again; see: journalctl -u tagkeep"
}

# Whatever ends the installer: no half file stays, and the service runs with a program that once got ready.
phase=prepare
clean_up() {
  rm -rf "$scratch"
  rm -f "$program.new" "$unit.new"
  case $phase in
    stopped | waiting)
      if [ -e "$program.previous" ]; then
        "$SYSTEMCTL" stop tagkeep || true
        put_back
      fi
      start_service || true
      ;;
  esac
}

# Beside the program: /tmp may be a place where nothing can be run.
make_scratch() {
  scratch=$(mktemp -d "${program%/*}/.tagkeep-install.XXXXXX")
  trap clean_up EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
}

# A program that never got ready is nothing to go back to.
keep_previous() {
  [ -e "$program" ] || return 0
  if [ -e "$unproven" ] && [ -e "$program.previous" ] && ! answers_ready; then return 0; fi
  # A second name, not a copy: it takes no room.
  ln -f "$program" "$program.previous"
  [ ! -e "$unit" ] || ln -f "$unit" "$unit.previous"
}

install() {
  [ -f "$binary" ] || fail "$binary is not a file"
  [ -f "$here/tagkeep.service" ] || fail "tagkeep.service is not beside install.sh"
  mkdir -p "${program%/*}"
  make_scratch
  # Before anything is stopped: a file for another processor, or half a file, ends here.
  copy 0755 "$binary" "$scratch/tagkeep"
  new=$(version_of "$scratch/tagkeep") || fail "$binary does not run on this machine"
  make_user
  make_folders
  make_settings
  endpoints=$(data_dir)/run/endpoints.json
  upgrading=$(data_dir)/run/upgrading
  first=no
  [ -e "$(data_dir)/db" ] || first=yes
  keep_previous
  # All that needs room is there before the service stops.
  mv "$scratch/tagkeep" "$program.new"
  cp "$here/tagkeep.service" "$unit.new"
  chmod 0644 "$unit.new"
  : >"$unproven"
  if has_service_manager && [ -e "$unit" ]; then
    phase=stopped
    "$SYSTEMCTL" stop tagkeep
  fi
  mv "$program.new" "$program"
  mv "$unit.new" "$unit"
  has_service_manager || { say "tagkeep $new is installed; start it with: systemctl enable --now tagkeep"; return 0; }
  rm -f "$endpoints"
  phase=waiting
  { start_service && gets_ready; } || go_back
  phase=over
  rm -f "$unproven"
  say "tagkeep $new is ready at $(origin_of_service)"
  [ "$first" = no ] || say 'The first password is in its log: journalctl -u tagkeep | grep password'
}

uninstall() {
  kept=$(data_dir)
  # Asked before anything is removed: who says no keeps all.
  if [ "$purge" = yes ]; then
    say "This deletes $state with the certificate authority: every reader would need a new identity."
    printf 'Type "delete" to go on: '
    read -r answer || answer=''
    [ "$answer" = delete ] || fail 'nothing was removed'
  fi
  if has_service_manager && [ -e "$unit" ]; then "$SYSTEMCTL" disable --now tagkeep; fi
  rm -f "$program" "$program.previous" "$unproven" "$unit" "$unit.previous"
  rm -rf "$cache"
  if has_service_manager; then "$SYSTEMCTL" daemon-reload; fi
  if [ "$purge" = no ]; then
    say "tagkeep is removed; its data stays in $state, its configuration in $settings"
    return 0
  fi
  rm -rf "$state" "$settings"
  if [ -z "$DESTDIR" ] && id tagkeep >/dev/null 2>&1; then userdel tagkeep; fi
  say "tagkeep, $state and $settings are removed"
  [ "$kept" = "$state/data" ] || say "its data in $kept stays"
}

"$action"
