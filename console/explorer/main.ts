import { keepPlace, restorePlace } from './kept-place.js';
import type { Me } from './graph.js';
import type { ExplorerGraph } from '../../schema/explorer.js';

// The part of the explorer that comes with the page: it finds out who looks, and only then fetches the editor, which is a megabyte.

const explorer = document.getElementById('explorer')!;
const place = document.createElement('main');
explorer.append(place);

const make = <Name extends keyof HTMLElementTagNameMap>(name: Name, properties: Partial<HTMLElementTagNameMap[Name]> = {}) =>
  Object.assign(document.createElement(name), properties);

/** A sentence in the place of the editor. */
function notice(title: string, ...content: (string | Node)[]): void {
  const text = make('p');
  text.append(...content);
  place.className = 'notice';
  place.replaceChildren(make('h2', { textContent: title }), text);
}

function askToSignIn(): void {
  const link = make('a', {
    href: `/auth/login?${new URLSearchParams({ return_to: location.pathname }).toString()}`,
    textContent: 'Sign in',
  });
  link.addEventListener('click', keepPlace);
  notice('Queries need a session', link, ' and come back here: the query in the address is kept. Without a session there is the ');
  const reference = make('a', { href: '/gateway/docs', textContent: 'REST reference' });
  place.querySelector('p')!.append(reference, '.');
}

/** What an address answers; null where it asks for a session. */
async function ask<Body>(url: string): Promise<Body | null> {
  const answer = await fetch(url, { headers: { accept: 'application/json' } });
  if (answer.status === 401) return null;
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
  return (await answer.json()) as Body;
}

function loadStyles(url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const link = make('link', { rel: 'stylesheet', href: url, onload: () => resolve() });
    link.onerror = () => reject(new Error('the styles of the editor could not be loaded'));
    document.head.append(link);
  });
}

async function open(): Promise<void> {
  restorePlace();
  const me = await ask<Me>('/api/v1/users/me');
  if (me === null) return askToSignIn();
  place.className = 'waiting';
  place.setAttribute('aria-busy', 'true');
  place.replaceChildren(make('i'), make('i'), make('i'));
  const [graph, { mount }] = await Promise.all([
    ask<ExplorerGraph>('/gateway/explorer/graph.json'),
    import('./workbench.js'),
    loadStyles(new URL('./workbench.css', import.meta.url).href),
  ]);
  if (graph === null) return askToSignIn();
  place.className = 'workbench';
  place.removeAttribute('aria-busy');
  mount(place, document.querySelector<HTMLElement>('.bar')!, graph, me);
}

open().catch((error: unknown) =>
  notice('The explorer could not be opened', error instanceof Error ? `${error.message}. ` : '', 'Load the page again.'),
);
