import { useEffect, useState } from 'react';
import type { FieldUsageReport } from '../../schema/explorer.js';

/** How often the tenant has asked for which field, as it is when the panel opens; null until it is known, and where it cannot be. */
export function useUsage(): FieldUsageReport | null {
  const [usage, setUsage] = useState<FieldUsageReport | null>(null);
  useEffect(() => {
    const left = new AbortController();
    const read = async () => {
      const answer = await fetch('/gateway/explorer/usage.json', { signal: left.signal });
      if (answer.ok) setUsage((await answer.json()) as FieldUsageReport);
    };
    // the panel says what it knows without it
    read().catch(() => undefined);
    return () => left.abort();
  }, []);
  return usage;
}
