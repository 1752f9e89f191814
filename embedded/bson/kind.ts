import { BSON } from './raw.js';

/** What orders values of different kinds, as the first byte of their keys. */
export const KIND = {
  minKey: 10,
  undefined: 15,
  null: 20,
  number: 30,
  string: 60,
  object: 70,
  array: 80,
  binData: 90,
  objectId: 100,
  bool: 110,
  date: 120,
  timestamp: 130,
  regex: 140,
  dbPointer: 150,
  code: 160,
  codeWithScope: 170,
  maxKey: 240,
} as const;

/** The byte that orders a BSON type among the others. Types with the same byte compare with one another. */
export function kindOf(type: number): number {
  switch (type) {
    case BSON.int:
    case BSON.double:
    case BSON.long:
    case BSON.decimal:
      return KIND.number;
    case BSON.string:
    case BSON.symbol:
      return KIND.string;
    case BSON.missing:
    case BSON.null:
      return KIND.null;
    case BSON.objectId:
      return KIND.objectId;
    case BSON.bool:
      return KIND.bool;
    case BSON.date:
      return KIND.date;
    case BSON.object:
      return KIND.object;
    case BSON.array:
      return KIND.array;
    case BSON.binData:
      return KIND.binData;
    case BSON.undefined:
      return KIND.undefined;
    case BSON.timestamp:
      return KIND.timestamp;
    case BSON.regex:
      return KIND.regex;
    case BSON.dbPointer:
      return KIND.dbPointer;
    case BSON.code:
      return KIND.code;
    case BSON.codeWithScope:
      return KIND.codeWithScope;
    case BSON.minKey:
      return KIND.minKey;
    default:
      return KIND.maxKey;
  }
}

/** The byte after that of a number: not a number comes first, then the numbers in order. */
export const NUMBER = { nan: 1, negative: 2, zero: 3, positive: 4 } as const;
