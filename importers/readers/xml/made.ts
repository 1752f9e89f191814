import type { XmlElement } from './element.js';

/**
 * An element as a reader would give it, of what the same tool writes in another syntax: one mapping serves both.
 * @param parts elements, and texts by the names of the elements that hold them; what is undefined is left out
 */
export function madeElement(
  name: string,
  attributes: Readonly<Record<string, string | undefined>>,
  parts: readonly (XmlElement | string | readonly [name: string, text: string | undefined])[],
): XmlElement {
  return {
    name,
    namespace: '',
    attributes: Object.fromEntries(Object.entries(attributes).filter((entry): entry is [string, string] => entry[1] !== undefined)),
    content: parts.flatMap((part) => {
      if (typeof part === 'string' || 'content' in part) return [part];
      const [inner, text] = part;
      return text === undefined ? [] : [madeElement(inner, {}, [text])];
    }),
    line: 0,
  };
}
