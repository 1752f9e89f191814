import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';

export interface PageHeadProps {
  readonly title: string;
  /** The lists that lead here, outermost first. */
  readonly under?: readonly { readonly href: string; readonly text: string }[];
  readonly children?: ComponentChildren;
}

/** The heading of a page, and what names its tab in the browser. */
export function PageHead({ title, under = [], children }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Palisade`;
  }, [title]);
  return (
    <header class="page-head">
      {under.length > 0 && (
        <nav aria-label="Where this is">
          {under.map(({ href, text }) => (
            <a key={href} href={href}>
              {text} <span aria-hidden="true">/</span>
            </a>
          ))}
        </nav>
      )}
      <h1>{title}</h1>
      {children}
    </header>
  );
}
