import { useEffect, useState } from 'preact/hooks';
import type { Severity } from '../../../schema/model.js';
import { refusalFor, send, type Refusal } from '../api.js';

/** `POST /suppressions/preview`. */
export interface Preview {
  readonly matched_count: number;
  readonly findings: readonly {
    readonly engine: string;
    readonly finding_id: string;
    readonly severity: Severity;
    readonly title: string;
    readonly resource_uid: string;
  }[];
  readonly restrictedEngines: readonly string[];
}

/** What a suppression of this scope would take; asked anew as the scope changes. */
export function usePreview(scope: Record<string, string[]>): { preview: Preview | null; error: Refusal | null } {
  const [state, setState] = useState<{ preview: Preview | null; error: Refusal | null }>({ preview: null, error: null });
  const text = JSON.stringify(scope);
  useEffect(() => {
    let isOld = false;
    setState({ preview: null, error: null });
    send<Preview>('POST', '/api/v1/suppressions/preview', { scope }).then(
      (preview) => !isOld && setState({ preview, error: null }),
      (error: unknown) => !isOld && setState({ preview: null, error: refusalFor(error) }),
    );
    return () => {
      isOld = true;
    };
  }, [text]);
  return state;
}
