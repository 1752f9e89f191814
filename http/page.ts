import type { FastifyReply } from 'fastify';

/** Text as it may stand in HTML, in content and in quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
}

/** A page as its parts: the title, plain text, and the HTML below it. */
export type Page = readonly [title: string, body: string];

const STYLE = `
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
  body { max-width: 26rem; margin: 12vh auto 2rem; padding: 0 1.25rem; overflow-wrap: anywhere; }
  h1 { font-size: 1.35rem; margin: 0 0 .5rem; }
  form { display: grid; gap: 1rem; margin-top: 1.25rem; }
  label { display: grid; gap: .25rem; font-weight: 600; }
  input, button { font: inherit; padding: .55rem .7rem; border-radius: .4rem; border: 1px solid #8a8f98; }
  input { font-weight: 400; }
  button { background: #1f5fbf; border-color: #1f5fbf; color: #fff; cursor: pointer; }
  a { color: #1f5fbf; }
  @media (prefers-color-scheme: dark) { a { color: #8ab4f8; } }
  .note { color: #5c6370; margin: 0; }
  .problem { border-left: .25rem solid #b3261e; padding: .25rem .75rem; }
  code, output { font-family: ui-monospace, monospace; }
  @media (prefers-color-scheme: dark) { .note { color: #a0a6b1; } }`;

/**
 * Sends one of the small pages of signing in. They need no script, load nothing, may not be framed, and post to this origin only.
 * @param title plain text
 * @param body HTML; whatever comes from outside must have passed `escapeHtml`
 */
export function sendPage(reply: FastifyReply, status: number, title: string, body: string): FastifyReply {
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    ).send(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${escapeHtml(title)} · Palisade</title><style>${STYLE}</style></head>
<body><main><h1>${escapeHtml(title)}</h1>${body}</main></body>
</html>`);
}
