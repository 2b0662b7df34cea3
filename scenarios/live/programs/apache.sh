#!/usr/bin/env bash
# Serves a DASH title with an Apache of its own: nothing of the system's configuration is read, no service is started,
# and all it writes is in the scratch folder. It serves until it is ended with SIGTERM.
#
#   apache.sh [--port 8080] [--content FOLDER | --seconds 24]
#
# Without --content the title comes from content.sh. It listens at $JETTISON_FROM. Apache refuses to serve as root, so that
# root starts it as nobody.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=common.sh
source "$here/common.sh"

port=8080 content='' seconds=24
while [ $# -gt 0 ]; do
  case $1 in
    --port) port=$2 ;;
    --content) content=$2 ;;
    --seconds) seconds=$2 ;;
    *) fail "unknown option $1; there are --port, --content and --seconds" ;;
  esac
  shift 2
done
address=${JETTISON_FROM:?is not set: the address to listen at}
work=${JETTISON_WORK:?is not set: a scratch folder}
modules=/usr/lib/apache2/modules
apache=$(PATH=$PATH:/usr/sbin command -v apache2) || fail "apache2 is missing; make live-deps installs it"
[ -n "$content" ] || content=$("$here/content.sh" --seconds "$seconds")
[ -e "$content/manifest.mpd" ] || fail "$content has no manifest.mpd"
case $address in *:*) address="[$address]" ;; esac

cat >"$work/apache.conf" <<CONF
ServerName $address
ServerRoot "$work"
DefaultRuntimeDir "$work"
PidFile "$work/apache.pid"
Listen $address:$port
LoadModule mpm_event_module $modules/mod_mpm_event.so
LoadModule authz_core_module $modules/mod_authz_core.so
LoadModule mime_module $modules/mod_mime.so
LoadModule headers_module $modules/mod_headers.so
TypesConfig /dev/null
AddType application/dash+xml .mpd
AddType video/mp4 .mp4
AddType video/iso.segment .m4s
ErrorLog "$work/error.log"
LogFormat "%h %{%s}t %D %>s %B %U %{User-Agent}i" plain
CustomLog "$work/access.log" plain
StartServers 1
ServerLimit 4
ThreadsPerChild 25
MaxRequestWorkers 100
# As a server of segments would be set up: a player's connection stays open through its rests.
KeepAlive On
KeepAliveTimeout 60
MaxKeepAliveRequests 0
DocumentRoot "$content"
<Directory "$content">
  Require all granted
  Options None
  AllowOverride None
</Directory>
# The page of dash.js comes from the player's own machine.
Header set Access-Control-Allow-Origin "*"
Header set Cache-Control "no-store"
CONF

find_ordinary_user
"${ordinary[@]}" test -r "$content/manifest.mpd" || fail "an ordinary user cannot read $content; set JETTISON_CACHE"
give "$work"
exec "${ordinary[@]}" "$apache" -f "$work/apache.conf" -DFOREGROUND
