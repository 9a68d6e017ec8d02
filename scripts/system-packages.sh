#!/usr/bin/env bash
# Makes sure that the Debian packages of requirements/apt.txt are there: installs the missing ones when it can do so
# without asking (root, or sudo without a password), else lists them and ends with 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

wanted=$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' requirements/apt.txt | awk '{print $1}')

if ! command -v dpkg-query >/dev/null; then
  echo "system-packages: this is no Debian system; what 'make setup' needs, by its Debian names:" >&2
  echo "$wanted" | sed 's/^/  /' >&2
  echo "Install the equivalents, then run: make setup SYSTEM_PACKAGES=present" >&2
  exit 1
fi

missing=()
for package in $wanted; do
  state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" -eq 0 ]; then
  as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  as_root=(sudo -n)
else
  echo "system-packages: ${#missing[@]} packages are missing and neither root nor sudo without a password is at hand." >&2
  echo "Ask somebody who may to run:" >&2
  echo "  apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 1
fi

echo "system-packages: installing ${missing[*]}"
"${as_root[@]}" apt-get update -q
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
  apt-get install -q -y --no-install-recommends "${missing[@]}"
