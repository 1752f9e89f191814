import { commandText } from '../shell-text.js';

const EXPRESSION = /\{\{([\s\S]*?)\}\}/g;
/** What gives true or false, whatever is put in. */
const DECIDES = /\b(?:contains|startswith|endswith|hashfiles)\((?:[^()']|'[^']*'|\([^()]*\))*\)|[\w.*[\]-]+\s*[=!]=\s*(?:'[^']*'|[\w.-]+)/g;
const CONTEXT =
  /\b(?:github|inputs|env|secrets|steps|needs|matrix|vars|jobs)(?:\.[\w*-]+)+|\btojson\(\s*(?:secrets|github(?:\.event)?)\s*\)/g;
const MAX_ENVIRONMENT = 5;

/** A text in which expressions are `{{ … }}` and variables of shells `$NAME`. */
export const plainText = (text: string): string => commandText(text.replaceAll('${{', '{{'));

/**
 * The contexts whose values expressions put into a text, in lower case: `github.event.issue.title`. A variable of `env` is the contexts that its own
 * value is made of; what is only compared is left out.
 */
export function expressionsIn(text: string, env: ReadonlyMap<string, string>, depth = 0): string[] {
  const found = new Set<string>();
  for (const [, inner = ''] of text.matchAll(EXPRESSION)) {
    const plain = inner.replaceAll(/\[\s*['"]([\w-]+)['"]\s*\]/g, '.$1').replaceAll(/\[\s*(?:\d+|\*)\s*\]/g, '.*');
    for (const [context] of plain.toLowerCase().replaceAll(DECIDES, '').matchAll(CONTEXT)) {
      found.add(context);
      const name = /^env\.(.+)$/.exec(context)?.[1];
      const value = name === undefined ? undefined : [...env].find(([key]) => key.toLowerCase() === name)?.[1];
      if (value !== undefined && depth < MAX_ENVIRONMENT) for (const one of expressionsIn(value, env, depth + 1)) found.add(one);
    }
  }
  return [...found];
}
