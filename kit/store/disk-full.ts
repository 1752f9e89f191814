import { mongo } from 'mongoose';

/** MongoDB's code OutOfDiskSpace, which the embedded store answers writes with while its disk has too little room. */
const OUT_OF_DISK_SPACE = 14_031;

/** Whether a write was refused because the store's disk is full. Reads go on meanwhile, and so must what they write beside. */
export const isDiskFull = (error: unknown): boolean => error instanceof mongo.MongoServerError && error.code === OUT_OF_DISK_SPACE;

/** For a write that may be left out while the disk is full: `write.catch(unlessDiskFull)`. */
export function unlessDiskFull(error: unknown): void {
  if (!isDiskFull(error)) throw error;
}
