// The fixed bounds that a client can meet: beyond one, a request gets an error or less than it asks for, or its
// connection is closed. The others are settings, or multiples of settings beside their code. docs/operating.md lists
// both. What no client meets is beside its code too: batches, caches, retries, and what a page shows of a value.
// The end of a name is its unit: bytes, length (in UTF-16 code units), milliseconds or seconds. Others are numbers.

export const mebibyte = 1024 ** 2

/** Each coding can make a body a thousand times as long, and needs a decoder. */
export const maxContentCodings = 3
/** RFC 9659 §3: a decoder of zstd does not have to accept a larger window, which it has in memory. */
export const maxZstdWindowBytes = 8 * mebibyte
/** Some clients read a response only after they have sent everything: a longer body is cut off. */
export const maxDiscardedBytes = 4 * mebibyte
/** A chunk costs 2 µs to receive and 5 µs to send: a body of one-byte chunks takes a thousand times the CPU. */
export const maxChunks = 10_000
/** A received body of more chunks has at least this size for each, on average. */
export const minChunkBytes = 16
/** The boundaries and heads of the parts of a form, beside what its fields and files may have. */
export const formFramingBytes = 16_384
export const maxFormFiles = 10
export const maxPartNameBytes = 200
/** The head of a part, and the padding after a boundary, are in memory until their end is found. */
export const maxPartHeadBytes = 8192
export const maxPaddingBytes = 1000
/** RFC 2046 §5.1.1. To find a longer one can take the product of its length and that of the body. */
export const maxBoundaryLength = 70
/** Each level of brackets in the name of a parameter makes an object. */
export const maxBracketDepth = 5
/** A record is compared with all values of a parameter, and of all filters of a list. */
export const maxValues = 100
/** Each operation of a JSON Patch can copy the whole value. */
export const maxPatchOperations = 100
/** The draft of Idempotency-Key recommends a UUID, which has 36 characters. */
export const maxKeyLength = 255
/** The draft leaves the time to the server. Stored responses take space of the database until then. */
export const storedResponseSeconds = 86_400

/** HTTP/1.1 requests that wait, and streams of HTTP/2: each takes memory before it is handled. */
export const maxRequestsOfConnection = 100
/** Longer than the 60 seconds of most proxies, which then never use a closed connection. */
export const keepAliveSeconds = 72
/** An event stream of this process has at most 64 KiB and what one read returns in memory. */
export const maxEventStreams = 1000
/** The log of a resource takes space of the database: a client that is further behind reads the list again. */
export const keptChanges = 1000
/** The content of responses that clients have not read: half of the 512 MiB of docs/operating.md. */
export const maxPendingBytes = 256 * mebibyte
/** The other two threads of Node's pool of four are for files, while more logins wait. */
export const maxHashedPasswords = 2
export const maxWaitingPasswords = 32
/** Names are not unique: a login tries the users of one name, each with a hash. */
export const maxLoginCandidates = 16

/** Documents that one request has in memory at once, as JSON. */
export const maxLoadLength = 16 * mebibyte
/** A list that no index finds: SQLite reads one after another, and PostgreSQL several at once. */
export const maxSlowReadMs = { sqlite: 30_000, postgresql: 10_000 }
/** Records that one request embeds, saves or replaces: a transaction of PostgreSQL ends after 1.5 seconds. */
export const maxRecordsAtOnce = 5000
/** Records that a removal changes and removes: others wait for its transaction. json-server has no limit. */
export const maxRemovedRecords = { usual: 1000, jsonServer: 10_000 }
export const maxPerPage = 1000
/** The rows of a list of requests for which no page is asked. */
export const rowsWithoutPage = 200
/** The sort keys of all records are in memory. */
export const maxSortTerms = 10
/** Each search reads all text of the list. */
export const maxSearches = 10
/** Node finds a text of at most 250 characters in linear time, and a longer one in quadratic time. */
export const maxSearchLength = 250
/** Every record is compared with the value of a filter. */
export const maxTextLength = 2000
/** A cursor is a part of a URL. */
export const maxCursorLength = 2048
/** Each relation of `embed` is a query, and each level multiplies the records. */
export const maxEmbeds = 10
export const maxEmbedLevels = 3
/** Each name in the path of a field that no schema declares makes the statement longer. */
export const maxUnknownNames = 16
/** More fields of a resource make pages and statements of any size. */
export const maxFields = 500
export const maxFieldNameLength = 200
/** The id of a record of a data file is a segment of its URL. */
export const maxIdLength = 200
/** A pattern in a schema can take exponential time for a document. */
export const maxDocumentCheckMs = 100
/** A pattern with several `*` can take the square of the length of a URL, or more. */
export const maxRewriteMs = 20
/** A regular expression can take exponential time for a page of records: one request can match several. */
export const maxMatchingMs = { page: 50, request: 500 }
export const maxSnapshots = 20

/** Go has the same limit of pairs in a form, and both frameworks that of parts. A pair costs about 1 µs. */
export const maxFormPairs = 10_000
export const maxFormParts = 1000
/** A value costs about 1 µs: there would be half a million in a mebibyte. */
export const maxJsonValues = 100_000
/** httpbin has this limit, and go-httpbin MAX_BODY_BYTES. */
export const maxPythonBytes = 102_400
/** Each fragment of a WebSocket message, and of its echo, is a frame. */
export const maxFragments = 1024
/** A frame takes about as much time as this number of bytes. */
export const smallFrameBytes = 256
/** A connection can have these at once: ws handles other requests between two messages. */
export const maxSmallFrames = 1500
export const smallFramesPerSecond = 100

/** Browsers follow 20 redirects, and curl 50. */
export const maxHops = 50
export const maxSequenceSteps = 100
export const maxStepRequests = 1000
/** RFC 6455 §5.5: a control frame has at most 125 bytes, and the status code takes two. */
export const maxCloseReasonBytes = 123
/** Steps of a WebSocket of a stub: they are fewer than the small frames that a connection can have at once. */
export const maxScriptSteps = 1000
export const maxStubs = 5000
/** Sandboxes whose stubs were changed at run time, in memory: the one that was used longest ago has those of the file again. */
export const maxChangedStubs = 1000
export const maxAlternatives = 100
export const maxConditions = 50
/** A pattern with several `*` can take the square of the length of a path, or more. */
export const maxPatternMs = 20
/** For all templates of one response. */
export const maxRenderMs = 50
/** A template of a stub has the first records of a resource, which are all in memory. */
export const maxRenderedRecords = 1000
export const maxRenderedBytes = 1_048_576
export const maxTokens = 10_000
/** A state expires after this time, so no bucket takes longer to become full. */
export const stateSeconds = 600
export const maxStates = 10_000
/** Each variant has two counts in a state. */
export const maxVariants = 100

/** A browser removes cookies if it has too many. */
export const maxOwnBins = 20
/** The name is the title of a page. */
export const maxBinNameLength = 100
/** By default, nginx ends a request to which nothing was sent for 60 seconds. */
export const maxWaitSeconds = 60
/** A captured body in a list, and each body of a recorded exchange. */
export const maxRecordedBytes = 65_536
/** Exchanges that are kept, and that a list is sorted from: INSPECTOR_MAX_BYTES limits their bodies. */
export const maxExchanges = 10_000
export const maxExportedExchanges = 1000
/** To search for as many secrets in a body of 64 KiB takes up to 50 milliseconds. */
export const maxMaskedForms = 150
export const maxMaskedLength = 65_536
/** Texts within texts: an array within a JSON text that is a part of a form has two texts around it. */
export const maxMaskDepth = 3
