import { html } from '../http/html.js';

/** A page whose content comes by script. */
interface ScriptPage {
  readonly title: string;
  /** The id of the element that the script fills. */
  readonly place: string;
  /** What stands in the bar until the script is there. */
  readonly heading: string;
  /** Names of its files among the assets. */
  readonly style: string;
  readonly script: string;
}

/** The pages of this server that run scripts (console/). */
export const SCRIPT_PAGES = {
  console: { title: 'Palisade', place: 'console', heading: 'Palisade', style: 'app-style.css', script: 'app.js' },
  explorer: { title: 'Palisade explorer', place: 'explorer', heading: 'Palisade explorer', style: 'main-style.css', script: 'main.js' },
  reference: {
    title: 'Palisade REST reference',
    place: 'reference',
    heading: 'Palisade REST reference',
    style: 'reference-style.css',
    script: 'reference.js',
  },
} as const satisfies Record<string, ScriptPage>;

/**
 * The frame of a page: what is in it comes by script.
 * @param assets the path below which its scripts and styles lie
 */
export const renderScriptPage = ({ title, place, heading, style, script }: ScriptPage, assets: string): string =>
  String(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>${title}</title>
          <link rel="icon" href="data:,">
          <link rel="stylesheet" href="${assets}/${style}">
          <script type="module" src="${assets}/${script}"></script>
        </head>
        <body>
          <div id="${place}">
            <header class="bar"><h1 class="brand">${heading}</h1></header>
            <noscript>
              <main class="message">
                <p>This page runs scripts of this server. The <a href="/gateway/openapi.json">document of the API</a> needs none.</p>
              </main>
            </noscript>
          </div>
        </body>
      </html>`,
  );
