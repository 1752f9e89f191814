import type { Refusal } from '../api.js';

const violationsIn = ({ detail }: Refusal): readonly { path: string; message: string }[] =>
  Array.isArray(detail) ? (detail as { path: string; message: string }[]) : [];

/** Why what was sent was refused, field by field where the API says so. */
export const Refused = ({ error }: { readonly error: Refusal }) => (
  <div class="problem" role="alert">
    <p>{error.message}.</p>
    {violationsIn(error).map(({ path, message }) => (
      <p key={path}>
        <code>{path}</code> {message}
      </p>
    ))}
  </div>
);
