import { profileNames } from '../catalog/profiles.js';
import { SEVERITIES } from '../schema/model.js';
import { REPORT_FORMATS } from './check/formats.js';
import { OPTIONS } from './check/options.js';
import { command, UsageError } from './command-line.js';
import { DEPLOYMENT_NAMES, STANDALONE_NAMES } from './names.js';

const USAGE = `palisade completion bash|zsh|fish
Prints what makes a shell complete commands, and the options of palisade check with their values. To have it in every shell:
  bash   palisade completion bash > ~/.local/share/bash-completion/completions/palisade
  zsh    palisade completion zsh > "\${fpath[1]}/_palisade"
  fish   palisade completion fish > ~/.config/fish/completions/palisade.fish
Exit codes: 0 printed, 2 wrong usage.`;

/** What follows what. */
interface Words {
  commands: readonly string[];
  /** Options of `palisade check`: whether a value follows, and which there are. */
  options: readonly { name: string; takesValue: boolean; values?: readonly string[] }[];
}

/** The command `palisade completion`. */
export const run = command(USAGE, {}, async (_values, [shell, ...rest]) => {
  const write = shell === undefined || rest.length > 0 ? undefined : SHELLS.get(shell);
  if (write === undefined) throw new UsageError(`name a shell: ${[...SHELLS.keys()].join(', ')}`);
  const script = write({ commands: [...DEPLOYMENT_NAMES, ...STANDALONE_NAMES, 'help'].sort(), options: optionsOfCheck() });
  await new Promise<void>((done) => process.stdout.write(script, () => done()));
  return 0;
});

function optionsOfCheck(): Words['options'] {
  const values: Readonly<Record<string, readonly string[]>> = {
    format: REPORT_FORMATS,
    'fail-on': [...SEVERITIES, 'none'],
    profile: profileNames(),
  };
  const own = Object.entries(OPTIONS).map(([name, { type }]) => ({
    name,
    takesValue: type === 'string',
    ...(values[name] && { values: values[name] }),
  }));
  return [...own, { name: 'help', takesValue: false }];
}

const listed = ({ options }: Words): string => options.map(({ name }) => `--${name}`).join(' ');
/** Of options with known values, a branch of `case` each. */
const branches = ({ options }: Words): string =>
  options.flatMap(({ name, values }) => (values === undefined ? [] : [`    "check --${name}") words='${values.join(' ')}' ;;`])).join('\n');
/** Sets `words` by the command, the word before and the word that is begun: the same in both shells. */
const choice = (words: Words): string => `  case "$name $before" in
${branches(words)}
    *) case "$name $begun" in
      "check -"*) words='${listed(words)}' ;;
      "rule "*) words='show' ;;
      "completion "*) words='${[...SHELLS.keys()].join(' ')}' ;;
    esac ;;
  esac`;

const toBash = (words: Words): string => `_palisade() {
  local begun=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} name=\${COMP_WORDS[1]} words=
  if [ "$COMP_CWORD" -eq 1 ]; then words='${words.commands.join(' ')}'; else
${choice(words)}
  fi
  COMPREPLY=($(compgen -W "$words" -- "$begun"))
}
complete -o default -F _palisade palisade
`;

const toZsh = (words: Words): string => `#compdef palisade
_palisade() {
  local begun=$words[CURRENT] before=$words[CURRENT-1] name=$words[2] choice=
  if (( CURRENT == 2 )); then choice='${words.commands.join(' ')}'; else
${choice(words).replaceAll(`words='`, `choice='`)}
  fi
  if [[ -n $choice ]]; then compadd -- \${(s: :)choice}; else _files; fi
}
if [ "$funcstack[1]" = _palisade ]; then _palisade "$@"; else compdef _palisade palisade; fi
`;

const toFish = ({ commands, options }: Words): string =>
  [
    `complete -c palisade -n __fish_use_subcommand -f -a '${commands.join(' ')}'`,
    `complete -c palisade -n '__fish_seen_subcommand_from rule' -f -a show`,
    `complete -c palisade -n '__fish_seen_subcommand_from completion' -f -a '${[...SHELLS.keys()].join(' ')}'`,
    ...options.map(({ name, takesValue, values }) => {
      const value = values === undefined ? (takesValue ? ' -r' : '') : ` -x -a '${values.join(' ')}'`;
      return `complete -c palisade -n '__fish_seen_subcommand_from check' -l ${name}${value}`;
    }),
    '',
  ].join('\n');

const SHELLS: ReadonlyMap<string, (words: Words) => string> = new Map([
  ['bash', toBash],
  ['zsh', toZsh],
  ['fish', toFish],
]);
