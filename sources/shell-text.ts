/** A variable of a shell in a text: `$NAME`, `${NAME}`, `${NAME:-default}`; `$$` is a dollar sign. */
const VARIABLE = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-+?])([^{}]*))?\})/g;

/**
 * A text with its variables filled in, as Dockerfiles and Compose files do it.
 * @param valueOf the value of a variable; undefined where it is not known
 * @returns the text; a variable that is not known and has no default stands as `${var.NAME}`, which the catalog reads as a reference that may be empty
 */
export function filledIn(text: string, valueOf: (name: string) => string | undefined): string {
  return text.replace(VARIABLE, (_whole, bare?: string, braced?: string, operator?: string, word = '') => {
    const name = bare ?? braced;
    if (name === undefined) return '$';
    const value = valueOf(name);
    if (operator?.endsWith('-') === true) return value === undefined || (value === '' && operator === ':-') ? word : value;
    return value ?? `\${var.${name}}`;
  });
}

/** A command as the catalog reads it: variables without braces, which would make the whole a reference whose value nobody knows. */
export const commandText = (command: string): string => command.replaceAll(/\$\{\s*(\w+)[^{}]*\}/g, '$$$1').replaceAll('${', '$ {');
