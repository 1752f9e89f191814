import { loadCatalog } from '../catalog/catalog.js';
import { remedyOf, type Remedy } from '../catalog/remedies/remedies.js';
import { textsOf, type FilledTexts } from '../catalog/texts.js';
import type { Rule } from '../catalog/types.js';
import { command, UsageError } from './command-line.js';
import { didYouMean } from './did-you-mean.js';

const USAGE = `palisade rule show ID
Prints what a rule asks of which resources, why, how to mend what fails, and its expression.
Exit codes: 0 shown, 2 wrong usage, 3 there is no such rule.`;

const EXIT_UNKNOWN = 3;
const WIDTH = 110;

/** The command `palisade rule`. */
export const run = command(USAGE, {}, (_values, [action, id, ...rest]) => {
  if (action !== 'show')
    throw new UsageError(action === undefined ? 'say what to do: show' : `unknown action ${action}; did you mean show?`);
  if (id === undefined || rest.length > 0) throw new UsageError('name one rule by its ID');
  const { rules, families } = loadCatalog();
  const rule = rules.find(({ rule_id }) => rule_id === id);
  if (rule === undefined) {
    const nearest = didYouMean(
      id,
      rules.map(({ rule_id }) => rule_id),
    );
    process.stderr.write(`palisade rule: there is no rule ${id}${nearest}\n`);
    return Promise.resolve(EXIT_UNKNOWN);
  }
  const texts = textsOf(
    rule,
    families.find(({ family }) => family === rule.family)!,
  );
  return new Promise((done) => process.stdout.write(pageOf(rule, texts, remedyOf(rule.rule_id)), () => done(0)));
});

function pageOf(rule: Rule, { title, description, rationale, steps, references }: FilledTexts, remedy: Remedy | undefined): string {
  const facts: [string, string][] = [
    ['rule', rule.rule_id],
    ['severity', rule.severity],
    ['family', rule.family],
    ['resources', rule.resource_types.join(', ')],
    ...(rule.path === undefined ? [] : [['attribute', rule.path] as [string, string]]),
    ...(rule.expected === '' ? [] : [['expected', rule.expected] as [string, string]]),
    ...(rule.applies === undefined ? [] : [['applies', rule.applies] as [string, string]]),
    ['passes', rule.expression],
  ];
  const parts = [
    title,
    facts.map(([name, value]) => `${name.padEnd(10)} ${value}`).join('\n'),
    wrapped(description),
    wrapped(rationale),
    [
      'To mend it:',
      ...steps.map(({ action, detail }, n) => wrapped(`${n + 1}. ${action}${detail === undefined ? '' : ` ${detail}`}`)),
    ].join('\n'),
    remedy === undefined ? '' : remedyText(remedy),
    references.map(({ title: name, url }) => `${name}: ${url}`).join('\n'),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** A text in lines that a terminal shows whole. */
function wrapped(text: string): string {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join('\n');
}

/** The configuration before and after, and the command, as they are written. */
function remedyText(remedy: Remedy): string {
  const change = 'unchanged' in remedy ? [remedy.unchanged] : [`Before, in Terraform:\n${remedy.before}`, `After:\n${remedy.after}`];
  const command = 'command' in remedy ? [`On the command line:\n${remedy.command!}`] : [];
  return [...change, ...command].join('\n\n');
}
