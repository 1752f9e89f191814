import { dismiss, notices } from './notices.js';

/** What was done lately, at the foot of the page. */
export const Notices = () => (
  <div class="notices" role="status" aria-live="polite">
    {notices.value.map(({ id, text, isProblem, action }) => (
      <div key={id} class={isProblem ? 'notice problem' : 'notice'}>
        <span>{text}</span>
        {action && (
          <button
            type="button"
            onClick={() => {
              dismiss(id);
              action.run();
            }}
          >
            {action.label}
          </button>
        )}
        <button type="button" class="quiet" aria-label="Dismiss" onClick={() => dismiss(id)}>
          ✕
        </button>
      </div>
    ))}
  </div>
);
