# Steps of a check, for test.sh and test-live.sh, which source this file: each is timed, and `finish` lists them.

results=()
failed=0

# step NAME COMMAND...: must succeed.
step() {
  local name=$1 status=0 start=$SECONDS
  shift
  echo "== $name: $*"
  "$@" || status=$?
  if [ $status -eq 0 ]; then
    record ok "$name" "$start"
  else
    record FAILED "$name" "$start" "status $status"
    failed=1
  fi
}

# optional_step NAME COMMAND...: as `step`, but exit status 3 means that this machine lacks what the command needs.
optional_step() {
  local name=$1 status=0 start=$SECONDS
  shift
  echo "== $name: $*"
  "$@" || status=$?
  case $status in
    0) record ok "$name" "$start" ;;
    3) leave "$name" "see above" ;;
    *) record FAILED "$name" "$start" "status $status"; failed=1 ;;
  esac
}

# leave NAME REASON: records a skipped step.
leave() { results+=("$(printf '%-8s %-14s (%s)' skipped "$1" "$2")"); }

record() { results+=("$(printf '%-8s %-14s %4d s%s' "$1" "$2" $((SECONDS - $3)) "${4:+ ($4)}")"); }

# Lists the steps, and exits with 1 if one failed.
finish() {
  echo
  printf '%s\n' "${results[@]}"
  exit $failed
}
