import { SaxesParser } from 'saxes';

const MAX_NAME = 64 * 1024;

/**
 * The parser of saxes, which tells faults without making an error of each, and how much it holds. What it keeps private is looked at here
 * alone; its version is fixed for that.
 */
export class XmlParser extends SaxesParser {
  /** @param onFault takes the message of each fault; the parser goes on behind it as well as it can, unless this throws */
  constructor(private readonly onFault: (message: string) => void) {
    super({ position: false });
  }

  override fail(message: string): this {
    this.onFault(message);
    return this;
  }

  /** The character that the parser was at when it told a fault. */
  get faultyCharacter(): string {
    return this['chunk'].charAt(this['prevI']);
  }

  /** The entity whose reference is being read. */
  get entityName(): string {
    return this['entity'];
  }

  /** Length of the text, comment or value that is being gathered. */
  get heldText(): number {
    return this['text'].length;
  }

  /** Attributes of the tag that is being read. */
  get heldAttributes(): number {
    return this['attribList'].length;
  }

  /** Whether a name is being read that is longer than any is. */
  get isInLongName(): boolean {
    return this['name'].length > MAX_NAME || this['entity'].length > MAX_NAME;
  }

  /** Lets go what was gathered of a text, comment or value. */
  dropText(): void {
    this['text'] = '';
  }
}
