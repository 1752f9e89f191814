import type { ComponentChildren } from 'preact';

interface SectionProps {
  readonly title: string;
  /** Where the whole of it is. */
  readonly more?: { readonly href: string; readonly text: string };
  readonly children: ComponentChildren;
}

/** A part of a page under its heading. */
export const Section = ({ title, more, children }: SectionProps) => (
  <section>
    <header>
      <h2>{title}</h2>
      {more && <a href={more.href}>{more.text}</a>}
    </header>
    {children}
  </section>
);
