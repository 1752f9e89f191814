import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expandCatalog } from '../catalog.js';
import type { ExpandedRule } from '../types.js';
import { changeOf, type Change } from './change.js';
import { readCommands, type Command } from './commands.js';

/** How what fails a recommended rule is mended: in Terraform's configuration, and by the provider's command line. */
export type Remedy = Change & Partial<Command>;

/** What the build writes beside this module. */
export const BUILT_REMEDIES = fileURLToPath(new URL('./remedies.json', import.meta.url));

/** The remedies of the recommended rules by their ids. @throws ZodError where a table of commands is wrong */
export function remediesOf(rules: readonly ExpandedRule[]): Record<string, Remedy> {
  const commands = readCommands();
  return Object.fromEntries(
    rules
      .filter(({ recommended }) => recommended)
      .map((rule) => [
        rule.rule_id,
        {
          ...changeOf(rule),
          ...commands
            .get(rule.provider)
            ?.find((item) => item.fits(rule))
            ?.says(rule),
        },
      ]),
  );
}

let loaded: Readonly<Record<string, Remedy>> | undefined;

/** The remedy of a rule; undefined of one that is not recommended. Read when the first is asked for: what the build wrote, or made of the files. */
export function remedyOf(rule_id: string): Remedy | undefined {
  loaded ??= existsSync(BUILT_REMEDIES)
    ? (JSON.parse(readFileSync(BUILT_REMEDIES, 'utf8')) as Record<string, Remedy>)
    : remediesOf(expandCatalog().rules);
  return Object.hasOwn(loaded, rule_id) ? loaded[rule_id] : undefined;
}

/** A remedy in Markdown: the configuration before and after, and the command or why there is none. */
export function remedyMarkdown(remedy: Remedy): string {
  const change =
    'unchanged' in remedy
      ? [remedy.unchanged]
      : ['Terraform, before:', fenced('hcl', remedy.before), 'Terraform, after:', fenced('hcl', remedy.after)];
  const command =
    'command' in remedy
      ? ['Command line:', fenced('sh', remedy.command!)]
      : 'no_command' in remedy
        ? [`Command line: ${remedy.no_command!}`]
        : [];
  return [...change, ...command].join('\n\n');
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``;
