-- What version 0.2.0 stored in SQLite. Only the expiry dates were changed (to 2999), and the size and the hash of the upload.
PRAGMA journal_mode = WAL;
CREATE TABLE records (
     resource TEXT NOT NULL,
     id TEXT NOT NULL,
     document TEXT NOT NULL,
     version INTEGER NOT NULL,
     created_at TEXT NOT NULL,
     updated_at TEXT NOT NULL,
     PRIMARY KEY (resource, id)
   ) STRICT;
CREATE INDEX records_oldest_first ON records (resource, created_at, id);
CREATE TABLE record_counts (resource TEXT PRIMARY KEY, count INTEGER NOT NULL) STRICT;
CREATE TABLE change_numbers (resource TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT;
CREATE TABLE changes (
     resource TEXT NOT NULL,
     number INTEGER NOT NULL,
     kind TEXT NOT NULL,
     id TEXT NOT NULL,
     document TEXT,
     version INTEGER,
     created_at TEXT,
     updated_at TEXT,
     PRIMARY KEY (resource, number)
   ) STRICT;
CREATE INDEX records_by_75458880e33ce6cb ON records (CASE json_type(document, '$."name"') WHEN 'text' THEN document ->> '$."name"' WHEN 'integer' THEN document ->> '$."name"' WHEN 'real' THEN document ->> '$."name"' WHEN 'false' THEN x'00' WHEN 'true' THEN x'01' ELSE x'02' END, created_at, id) WHERE resource = 'users';
INSERT INTO records VALUES ('users', 'ann', '{"name":"Anna","password":"$argon2id$v=19$m=19456,t=2,p=1$Bj0C1WJCgEj7DiGcFsJ7ag$FjKXA7DRD7efsjSZIiLQFltj3TIu22ieuI7f+fPgOX0"}', 2, '2026-11-22T17:27:21.157Z', '2026-11-22T17:27:21.438Z');
INSERT INTO records VALUES ('locations', '01a2044c-55a1-71bb-b8e0-bab91cff460f', '{"name":"Oslo2","latitude":52.9,"longitude":10.7,"note":"changed by 0.2"}', 2, '2026-11-22T17:27:21.249Z', '2026-11-27T19:14:05.552Z');
INSERT INTO records VALUES ('~answers', '243b53e924a6b5a135065ff208e6b5bfa86ddf39fdd59d68a68ccfb3aa8cc369', '{"fingerprint":"3eda5acd842d1f4ebd5723019fa87fc3b59beda150a264e6870d4d8634108137","recordId":"01a2044c-566a-7411-8da1-ef16a7ee65ff","leasedUntil":"2026-11-22T17:27:23.450Z","expiresAt":"2999-11-23T17:27:21.450Z","answer":{"status":201,"headers":{"cache-control":"no-cache","content-type":"application/json; charset=utf-8","etag":"\"1-mws40jfv-json\"","location":"/locations/01a2044c-566a-7411-8da1-ef16a7ee65ff","vary":"Cookie, Accept, Prefer"},"content":"eyJfaWQiOiIwMWEyMDQ0Yy01NjZhLTc0MTEtOGRhMS1lZjE2YTdlZTY1ZmYiLCJuYW1lIjoiSWRlbSIsImxhdGl0dWRlIjoxLCJsb25naXR1ZGUiOjIsImNyZWF0ZWRBdCI6IjIwMjYtMTEtMjJUMTc6Mjc6MjEuNDUxWiIsInVwZGF0ZWRBdCI6IjIwMjYtMTEtMjJUMTc6Mjc6MjEuNDUxWiJ9"}}', 2, '2026-11-22T17:27:21.450Z', '2026-11-22T17:27:21.452Z');
INSERT INTO records VALUES ('locations', '01a2044c-566a-7411-8da1-ef16a7ee65ff', '{"name":"Idem","latitude":1,"longitude":2}', 1, '2026-11-22T17:27:21.451Z', '2026-11-22T17:27:21.451Z');
INSERT INTO records VALUES ('users', 'zoe', '{"name":"Zoë ~ \"q\"","password":"$argon2id$v=19$m=19456,t=2,p=1$XfMbZN/n8z3vbEA+E9G2DQ$dhF9AxKGimcXoEs47qq14yYCH+eAHdCCaiikYmoMOCc"}', 2, '2026-11-22T17:27:41.215Z', '2026-11-27T19:14:05.500Z');
INSERT INTO records VALUES ('~sessions', 'b3d268a3731018994cd049bca20d245b19b9ac0f40fbc4c18aa3a12f546ad470', '{"userId":"ann","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$Bj0C1WJCgEj7DiGcFsJ7ag$FjKXA7DRD7efsjSZIiLQFltj3TIu22ieuI7f+fPgOX0","createdAt":"2026-11-22T17:27:41.259Z","expiresAt":"2999-11-23T05:27:41.259Z","idleUntil":"2999-11-22T17:57:41.302Z","issue":{"by":"login","newId":"******yzGc","issuedAt":"2026-11-22T17:27:41.259Z"}}', 2, '2026-11-22T17:27:41.259Z', '2026-11-22T17:27:41.302Z');
INSERT INTO records VALUES ('uploads', 'ty1FE7ef2TZ7cBPwBk6bQg', '{"size":6,"sha256":"e893640fd10c61667fce12d680cc8ac1184ed14d1664e4f933d7b8c460112000","name":"gläser.txt","type":"text/plain"}', 1, '2026-11-22T17:28:22.565Z', '2026-11-22T17:28:22.565Z');
INSERT INTO record_counts VALUES ('users', 2);
INSERT INTO record_counts VALUES ('locations', 2);
INSERT INTO record_counts VALUES ('~answers', 1);
INSERT INTO record_counts VALUES ('~sessions', 1);
INSERT INTO record_counts VALUES ('uploads', 1);
PRAGMA user_version = 6;
