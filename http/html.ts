/** A text that is HTML. Only `html` makes one, so that whatever else stands in a page is escaped. */
export class Html {
  readonly #text: string;

  private constructor(text: string) {
    this.#text = text;
  }

  static of(strings: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
    return new Html(String.raw({ raw: strings }, ...values.map(render)));
  }

  toString(): string {
    return this.#text;
  }
}

/** What may stand in a template: HTML as it is, lists one after the other, nothing for null, undefined and false, and any other text escaped. */
export type HtmlValue = Html | string | number | boolean | null | undefined | readonly HtmlValue[];

/** A text as it may stand in content and in quoted attributes, of HTML and of XML. */
const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);

function render(value: HtmlValue): string {
  if (value instanceof Html) return value.toString();
  if (Array.isArray(value)) return (value as readonly HtmlValue[]).map(render).join('');
  if (value === null || value === undefined || value === false) return '';
  return escapeHtml(String(value));
}

/**
 * The one way to write HTML, and XML beside it: html`<p title="${title}">${text}</p>`. Values are escaped for text and for attributes in double or
 * single quotes; they have no place in a tag's name, in an attribute without quotes, in a script or a style, and an address is for its writer to check.
 */
export const html = Html.of;
