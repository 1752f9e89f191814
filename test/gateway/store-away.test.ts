import { mongo } from 'mongoose';
import { isStoreAway } from '../../http/engine-errors.js';

const closed = new mongo.MongoNetworkError('connection 46 closed');

it.each<[string, unknown, boolean]>([
  ['a connection that broke', closed, true],
  ['one that broke within a bulk write, as the driver wraps it', Object.assign(new Error(closed.message), { errorResponse: closed }), true],
  ['a full disk', new mongo.MongoServerError({ code: 14_031, message: 'full' }), true],
  ['a store that opened its database again', new mongo.MongoServerError({ code: 6, message: 'opened again' }), true],
  ['a duplicate', new mongo.MongoServerError({ code: 11_000, message: 'twice' }), false],
  ['a mistake of ours', new TypeError('x is not a function'), false],
  ['nothing', null, false],
])('%s', (_, error, expected) => {
  expect(isStoreAway(error)).toBe(expected);
});
