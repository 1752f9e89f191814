import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * File systems that several machines may see, each with a kernel of its own: a lock that one of them grants need not hold in the others. Of those in
 * user space (fuse.*) most are of that kind.
 */
const SHARED = /^(nfs\d?|cifs|smb\d?|smbfs|afs|ceph|coda|gfs2?|glusterfs|gpfs|lustre|ocfs2|orangefs|beegfs|9p|virtiofs|fuse\..+)$/;

/** The type of the mounted file system that a path lies on, from the text of /proc/self/mountinfo (proc_pid_mountinfo(5)). */
export function typeOfMount(mountinfo: string, path: string): string | undefined {
  let found: { point: string; type: string | undefined } | undefined;
  for (const line of mountinfo.split('\n')) {
    const [mount, filesystem] = line.split(' - ');
    const escaped = mount?.split(' ')[4];
    if (escaped === undefined || filesystem === undefined) continue;
    const point = escaped.replace(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8)));
    const below = point === '/' || path === point || path.startsWith(`${point}/`);
    // of two mounts at one place the later one is seen
    if (below && (!found || point.length >= found.point.length)) found = { point, type: filesystem.split(' ')[0] };
  }
  return found?.type;
}

/** The type of a shared file system where locks may not hold, or undefined: also where the system does not tell (other systems than Linux). */
export function sharedFilesystemOf(folder: string): string | undefined {
  let existing = resolve(folder);
  while (!existsSync(existing)) existing = dirname(existing);
  let mountinfo: string;
  try {
    mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  } catch {
    return undefined;
  }
  const type = typeOfMount(mountinfo, realpathSync(existing));
  return type !== undefined && SHARED.test(type) ? type : undefined;
}
