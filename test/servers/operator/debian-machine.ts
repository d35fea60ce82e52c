/**
 * A Debian with its stock packages, in namespaces with private /etc, /var/lib and port 8787. A cache that was filled
 * outside serves npm. A stand-in for systemctl runs a unit's ExecStart as its user in its directory.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RECORD_TYPES } from "../../../src/ledger/intake/record-types.ts";
import { run } from "../../support/processes.ts";

const SYSTEMCTL = `
declare -A PIDS
unit_value() { sed -n "s/^$2=//p" "/etc/systemd/system/$1.service"; }
unit_start() {
  local unit=$1 directory
  [[ $unit == *.timer ]] && return
  for directory in $(unit_value "$unit" StateDirectory); do install -d -o noonmark -g noonmark -m 750 "/var/lib/$directory"; done
  unit_run "$unit" >> "/var/log/$unit" 2>&1 &
  PIDS[$unit]=$!
}
# A path with a minus is ignored if it does not exist.
shown_to() { for path in $(unit_value "$1" BindReadOnlyPaths); do [ -e "\${path#-}" ] && echo "\${path#-}"; done; }
# Runs the unit's ExecStart with its file system view, network, umask, environment and user.
unit_run() {
  exec env -i PATH="$PATH" unshare --mount $([ "$(unit_value "$1" PrivateNetwork)" != yes ] || echo --net) bash -ec '
    hidden=$1 shown=$2 mask=$3 environment=$4 folder=$5 user=$6 group=$7; shift 7
    if [ -f "$environment" ]; then set -a; . "$environment"; set +a; fi
    mkdir -p /run/shown
    for path in $shown; do
      if [ -d "$path" ]; then mkdir -p "/run/shown$path"; else install -D /dev/null "/run/shown$path"; fi
      mount --bind "$path" "/run/shown$path"
    done
    for path in $hidden; do mount -t tmpfs -o mode=755 none "$path"; done
    for path in $shown; do
      if [ -d "/run/shown$path" ]; then mkdir -p "$path"; else install -D /dev/null "$path"; fi
      mount --bind "/run/shown$path" "$path" && mount -o remount,bind,ro "$path"
    done
    umask "$mask"
    cd "$folder" && exec setpriv --reuid "$user" --regid "$group" --init-groups "$@"
  ' bash "$(unit_value "$1" TemporaryFileSystem | sed s/:ro//g)" "$(shown_to "$1")" \
    "$(unit_value "$1" UMask)" "$(unit_value "$1" EnvironmentFile | sed s/^-//)" "$(unit_value "$1" WorkingDirectory)" \
    "$(unit_value "$1" User)" "$(unit_value "$1" Group)" $(unit_value "$1" ExecStart)
}
has_ended() { [[ $(ps -o stat= -p "\${PIDS[$1]}") != [!Z]* ]]; }
unit_end() { [ -z "\${PIDS[$1]:-}" ] && return; kill "\${PIDS[$1]}"; wait "\${PIDS[$1]}"; unset "PIDS[$1]"; }
systemctl() {
  local verb=$1 unit
  shift
  [[ \${1:-} == --now ]] && shift
  for unit in "$@"; do
    case $verb in
      enable | start) unit_start "$unit" ;;
      disable | stop) unit_end "$unit" ;;
      restart) unit_end "$unit"; unit_start "$unit" ;;
    esac
  done
  # Wait until the remaining services have started, or have ended.
  [ -z "\${PIDS[noonmark-serve]:-}" ] || until has_ended noonmark-serve || curl -sf -o /dev/null http://127.0.0.1:8787/healthz; do sleep 0.1; done
  [ -z "\${PIDS[noonmark-publish]:-}" ] || until has_ended noonmark-publish || grep -q publishing /var/log/noonmark-publish; do sleep 0.1; done
}
`;

/** Facts from the operator's own service: one receipt, a second old, and a round with its closure. */
function factsOfNow(): string {
  const receivedAt = new Date(Date.now() - 1_000).toISOString();
  const { receipt, round, closure } = RECORD_TYPES;
  const facts = [{ ...receipt.example, observedAt: receivedAt, receivedAt }, round.example, closure.example];
  return facts.map((fact) => JSON.stringify(fact)).join("\n");
}

export interface Step {
  readonly code: number;
  readonly output: string;
}

/** Fills an npm cache with the tarball's dependencies. */
export async function fillCache(folder: string, tarball: string): Promise<void> {
  const elsewhere = join(folder, "elsewhere");
  mkdirSync(elsewhere);
  const args = ["install", "--global", "--prefix", elsewhere, "--cache", join(folder, "cache"), "--no-audit", tarball];
  await run("npm", args);
}

/** Runs the steps in one shell, even after failures. Returns each step's output and last exit code. */
export async function onMachine(folder: string, tarball: string, steps: readonly string[]): Promise<Step[]> {
  // Another user must be able to read it there.
  chmodSync(folder, 0o755);
  const labelled = steps.map((step, index) => `echo "== ${index}"\n${step}\necho "-- $?"`);
  const script = `set -e
ip link set lo up
mkdir -p ${folder}/etc ${folder}/global && cp -a /etc/. ${folder}/etc && mount --bind ${folder}/etc /etc
for path in /srv /usr/local/bin /run /var/lib /var/log /usr/share/bash-completion/completions /usr/share/zsh/vendor-completions /usr/share/fish/vendor_completions.d; do
  mkdir -p $path; mount -t tmpfs none $path
done
cp ${tarball} /srv/${basename(tarball)}
echo '${factsOfNow()}' > /srv/facts.ndjson
${SYSTEMCTL}
set +e
cd /srv
${labelled.join("\n")}
for unit in "\${!PIDS[@]}"; do unit_end "$unit"; done`;
  writeFileSync(join(folder, "script.sh"), script);
  const child = spawn(
    "unshare",
    ["--mount", "--net", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", join(folder, "script.sh")],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...Object.fromEntries(
          Object.entries(process.env).filter(([name]) => !/^(?:NOONMARK_|npm_config_(?:local_)?prefix$)/i.test(name)),
        ),
        PATH: `${folder}/global/bin:/usr/local/bin:${dirname(process.execPath)}:/usr/sbin:/usr/bin:/sbin:/bin`,
        npm_config_prefix: join(folder, "global"),
        npm_config_cache: join(folder, "cache"),
        npm_config_offline: "true",
        npm_config_loglevel: "error",
      },
    },
  );
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data: Buffer) => output.push(data.toString()));
  await once(child, "close");
  const parts = output.join("").split(/^== \d+\n/m);
  if (parts.length !== steps.length + 1) throw new Error(`the script did not finish:\n${output.join("")}`);
  return parts.slice(1).map((part) => {
    const [, text = "", code = ""] = /^([^]*?)-- (\d+)\n/.exec(part) ?? [];
    return { code: Number(code), output: text };
  });
}
