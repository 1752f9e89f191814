import { offline, refusalIn, signIn } from '../api.js';
import type { ScanRun } from './run.js';

export interface UploadOptions {
  /** Recognised from the file where empty. */
  readonly format: string;
  readonly account_id: string;
}

/** Sends a report as it is. fetch tells nothing of how far it is, so this is one call without it. @throws Refusal */
export function upload(file: File, { format, account_id }: UploadOptions, progress: (share: number) => void): Promise<ScanRun> {
  const query = new URLSearchParams({ ...(format && { format }), ...(account_id && { account_id }) }).toString();
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/api/v1/scans/imports${query && `?${query}`}`);
    request.setRequestHeader('accept', 'application/json');
    request.setRequestHeader('content-type', 'application/octet-stream');
    request.responseType = 'json';
    request.upload.addEventListener('progress', ({ loaded, total }) => progress(total > 0 ? loaded / total : 0));
    request.addEventListener('error', () => reject(offline()));
    request.addEventListener('load', () => {
      if (request.status === 401) signIn();
      if (request.status === 202) resolve(request.response as ScanRun);
      else reject(refusalIn(request.status, request.response));
    });
    request.send(file);
  });
}
