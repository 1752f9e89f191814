import type { FastifyReply } from 'fastify';
import { html, type Html } from './html.js';

/** A page as its parts: the title, plain text, and what stands below it. */
export type Page = readonly [title: string, body: Html];

// the look of the console (console/tokens.css), without a file beside the page
const STYLE = html`<style>
  :root {
    color-scheme: light dark; font: 14px/1.5 system-ui, sans-serif;
    --base: light-dark(#ffffff, #14171c); --raised: light-dark(#f6f7f9, #1b1f26); --line: light-dark(#dfe2e7, #2e343d);
    --text: light-dark(#1b1f26, #e4e7eb); --soft: light-dark(#58606c, #a2aab5); --accent: light-dark(#1f5fbf, #8ab4f8); --bad: light-dark(#b3261e, #ffb4a9);
  }
  body { margin: 0; background: var(--raised); color: var(--text); overflow-wrap: anywhere; }
  main { box-sizing: border-box; max-width: 26rem; margin: 12vh auto 2rem; padding: 24px; border: 1px solid var(--line); border-radius: 8px; background: var(--base); }
  .brand { max-width: 26rem; margin: 12vh auto -11vh; padding: 0 24px; font-weight: 600; }
  h1 { font-size: 20px; margin: 0 0 8px; }
  form { display: grid; gap: 16px; margin-top: 16px; }
  label { display: grid; gap: 4px; font-weight: 600; }
  input, button { font: inherit; padding: 8px 10px; border-radius: 4px; border: 1px solid #8a8f98; background: var(--base); color: inherit; }
  input { font-weight: 400; }
  button { background: var(--accent); border-color: var(--accent); color: var(--base); cursor: pointer; }
  a { color: var(--accent); }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
  section { margin-top: 24px; border-top: 1px solid var(--line); }
  h2 { font-size: 14px; margin: 12px 0 4px; }
  ul { margin: 8px 0 0; padding: 0; list-style: none; }
  li { padding: 2px 0; }
  small { display: block; color: var(--soft); }
  .note { color: var(--soft); margin: 0; }
  .problem { border-left: 4px solid var(--bad); padding: 4px 12px; }
  code, output { font-family: ui-monospace, monospace; }</style>`;

/**
 * Sends one of the small pages of signing in. They need no script, load nothing, may not be framed, and post to this origin only.
 * @param title plain text
 */
export function sendPage(reply: FastifyReply, status: number, title: string, body: Html): FastifyReply {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Palisade</title>${STYLE}</head>
<body><p class="brand">Palisade</p><main><h1>${title}</h1>${body}</main></body>
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
