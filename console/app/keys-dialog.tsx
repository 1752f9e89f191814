import { useState } from 'preact/hooks';
import { keysNow } from './keys.js';
import { Dialog } from './parts/dialog.js';

/** What the keyboard does on this page. */
export function KeysDialog({ close }: { readonly close: () => void }) {
  const [keys] = useState(keysNow);
  return (
    <Dialog title="Keys" close={close}>
      <dl class="keys">
        {keys.map(({ key, words }) => (
          <div key={key}>
            <dt>
              <kbd>{key === 'Escape' ? 'Esc' : key}</kbd>
            </dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
