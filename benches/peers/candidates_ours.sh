#!/bin/sh
# The program as a contender of candidates_vw.py:
#   candidates_vw.py compare FOLDER/NAME --ours "benches/peers/candidates_ours.sh OCOBOOST BUDGET {train} {held} {predictions}"
set -eu
model=$(mktemp -d)
trap 'rm -r "$model"' EXIT
# Exit code 3 says that the log does not show the policy to be better: it is there all the same.
"$1" --quiet train "$3" -o "$model/policy.ocob" --budget "$2" >/dev/null || [ $? -eq 3 ]
"$1" --quiet predict "$model/policy.ocob" "$4" --probabilities | tail -n +2 | cut -d, -f3 | tr ' ' ',' >"$5"
