/** Where the real server at hand (DocumentDB over PostgreSQL) answers differently from MongoDB: test name -> how. */
export const REAL_SERVER_DIFFERS: Readonly<Record<string, string>> = {
  'an empty array sorts before a missing field': 'it sorts them as equal',
  'an inclusion beside an exclusion is refused': 'it refuses with the code 8',
  'a duplicate key error names the index and the values': 'its error has no keyPattern and keyValue',
  'a unique index cannot be made over duplicates': 'it refuses with the code 8',
  'findAndModify reports a duplicate key': 'it refuses with the code 8',
  'two arrays cannot be indexed side by side': 'it accepts them',
  'an update cannot bring two arrays side by side': 'it accepts them',
  'a collection that exists is not created again': 'it answers success',
  'a count of nothing is no document': 'it answers a count of 0',
  'mistakes in a pipeline are errors, even without documents': 'it refuses with the code 8',
  'a document above 16 MB is refused': 'it refuses with a code of its own',
  'commit and abort of no transaction are errors': 'it answers success',
  'a repeated statement is applied once': 'it applies it twice',
};

/** What is not asked of it, because it would wait for ever or answers one way or the other: test name -> why. */
export const REAL_SERVER_SKIPS: Readonly<Record<string, string>> = {
  'the second writer of a document gets a write conflict': 'it waits for the first writer to end, as PostgreSQL does',
  'batches, and what changes in between': 'a sorted cursor lives in one of its sessions, and another may be asked for the rest',
};
