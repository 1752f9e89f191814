import type { FastifyReply } from 'fastify';
import { html, type Html } from './html.js';

/** A page as its parts: the title, plain text, and what stands below it. */
export type Page = readonly [title: string, body: Html];

const STYLE = html`<style>
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
  @media (prefers-color-scheme: dark) { .note { color: #a0a6b1; } }</style>`;

/**
 * Sends one of the small pages of signing in. They need no script, load nothing, may not be framed, and post to this origin only.
 * @param title plain text
 */
export function sendPage(reply: FastifyReply, status: number, title: string, body: Html): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Palisade</title>${STYLE}</head>
<body><main><h1>${title}</h1>${body}</main></body>
</html>`;
  return reply
    .code(status)
    .header('content-type', 'text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header(
      'content-security-policy',
      "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    )
    .send(String(page));
}
