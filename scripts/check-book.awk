# Checks anchors of links between Markdown pages: reads all pages, and prints a line for each link whose heading is not there.
# The name of a heading is made as mdBook makes it: lower case, spaces as dashes, letters, digits, `_` and `-` alone; a name that
# comes again gets a number.

# The text of a heading, without markup of links and HTML.
function plain(text) {
  while (match(text, /\[[^]]*\]\([^)]*\)/)) {
    link = substr(text, RSTART, RLENGTH)
    sub(/^\[/, "", link)
    sub(/\]\([^)]*\)$/, "", link)
    text = substr(text, 1, RSTART - 1) link substr(text, RSTART + RLENGTH)
  }
  gsub(/<[^>]*>/, "", text)
  return text
}

function name(heading) {
  heading = tolower(plain(heading))
  gsub(/ /, "-", heading)
  # Punctuation; letters beyond ASCII stay.
  gsub(/[!"#$%&'()*+,.\/:;<=>?@[\\\]^`{|}~]/, "", heading)
  gsub(/×|–|—|→|…|“|”|·/, "", heading)
  return heading
}

# The path of `target`, as a page in `folder` names it.
function path(folder, target,    parts, n, i, out, depth) {
  n = split(folder "/" target, parts, "/")
  depth = 0
  for (i = 1; i <= n; i++) {
    if (parts[i] == "" || parts[i] == ".") continue
    if (parts[i] == ".." && depth > 0 && stack[depth] != "..") depth--
    else stack[++depth] = parts[i]
  }
  out = ""
  for (i = 1; i <= depth; i++) out = out (i > 1 ? "/" : "") stack[i]
  return out
}

FNR == 1 {
  code = 0
  page = path("", FILENAME)
  folder = page
  if (!sub(/\/[^\/]*$/, "", folder)) folder = "."
  known[page] = 1
}

/^ *```/ { code = !code }
code { next }

/^\{\{#include / {
  included = $0
  gsub(/^\{\{#include |\}\}.*$/, "", included)
  includes[page] = path(folder, included)
}

/^#+ / {
  heading = $0
  sub(/^#+ /, "", heading)
  heading = name(heading)
  times = seen[page, heading]++
  anchors[page, heading (times ? "-" times : "")] = 1
}

{
  text = $0
  while (match(text, /\]\([^) ]+/)) {
    target = substr(text, RSTART + 2, RLENGTH - 2)
    text = substr(text, RSTART + RLENGTH)
    if (target ~ /^[a-z]+:/ || target !~ /#/) continue
    file = target
    sub(/#.*/, "", file)
    anchor = target
    sub(/^[^#]*#/, "", anchor)
    links++
    from[links] = page
    to[links] = file == "" ? page : path(folder, file)
    at[links] = anchor
    written[links] = target
  }
}

END {
  for (i = 1; i <= links; i++) {
    place = (to[i] in includes) ? includes[to[i]] : to[i]
    if (place in known && !((place, at[i]) in anchors)) print from[i] ": the link to " written[i] " has no heading"
  }
}
