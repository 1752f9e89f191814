import type { ComponentChildren } from 'preact';
import { CopyButton } from '../app/parts/copy-button.js';

/** Text of the document: its paragraphs, and what stands between backticks as code. No other markup is read. */
export const Words = ({ text, soft = false }: { readonly text: string; readonly soft?: boolean }) => (
  <>
    {text.split(/\n{2,}/).map((paragraph, index) => (
      <p key={index} class={soft ? 'soft' : undefined}>
        {paragraph.split('`').map((part, place) => (place % 2 ? <code key={place}>{part}</code> : part))}
      </p>
    ))}
  </>
);

/** A text of several lines to read and to copy. */
export const Block = ({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: string;
  readonly children?: ComponentChildren;
}) => (
  <div class="block">
    <div class="block-head">
      {children ?? <b>{title}</b>}
      <CopyButton text={text} what={title} />
    </div>
    <pre tabIndex={0} aria-label={title}>
      {text}
    </pre>
  </div>
);
