import { tell, tellProblem } from '../notices.js';

/** Copies a text to where the person pastes from. */
export const CopyButton = ({ text, what }: { readonly text: string; readonly what: string }) => (
  <button
    type="button"
    class="quiet"
    aria-label={`Copy ${what}`}
    onClick={() =>
      // only pages of https and of this very machine may
      void Promise.resolve(navigator.clipboard?.writeText(text) ?? Promise.reject(new Error('not allowed'))).then(
        () => tell(`Copied: ${what}.`),
        () => tellProblem('The browser does not let pages of this address copy: mark the text and copy it by hand.'),
      )
    }
  >
    Copy
  </button>
);
