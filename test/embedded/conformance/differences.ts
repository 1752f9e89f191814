/** Where the real server at hand (DocumentDB over PostgreSQL) answers differently from MongoDB: test name -> how. */
export const REAL_SERVER_DIFFERS: Readonly<Record<string, string>> = {};
