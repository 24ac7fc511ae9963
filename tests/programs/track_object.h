/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file track_object.h
 * For the track_... programs: records of objects as what they are, spans, and the members that a program knows.
 */
#ifndef TRACK_OBJECT_H
#define TRACK_OBJECT_H

#include "registry.h"

#define COMM(handle)       ((const struct trk_comm *)registry_object(TRK_COMM, handle))
#define GROUP(handle)      ((const struct trk_group *)registry_object(TRK_GROUP, handle))
#define TYPE(handle)       ((const struct trk_datatype *)registry_object(TRK_DATATYPE, handle))
#define ERRHANDLER(handle) ((const struct trk_errhandler *)registry_object(TRK_ERRHANDLER, handle))
#define AFILE(handle)      ((const struct trk_file *)registry_object(TRK_FILE, handle))
#define INFO(handle)       ((const struct trk_info *)registry_object(TRK_INFO, handle))
#define OP(handle)         ((const struct trk_op *)registry_object(TRK_OP, handle))
#define WIN(handle)        ((const struct trk_win *)registry_object(TRK_WIN, handle))
#define MESSAGE(handle)    ((const struct trk_message *)registry_object(TRK_MESSAGE, handle))
#define KEYVAL(key)        ((const struct trk_keyval *)registry_find(TRK_KEYVAL, (uint32_t)(key), TRK_LIVE))

/** The freed record of a handle's value. */
#define FREED_OBJECT(kind, handle) registry_find(kind, BITS(handle), TRK_FREED)

/** Check that a record exists; the other checks depend on it. */
#define REQUIRE(record)                                                                                                \
	do {                                                                                                           \
		if (!EXPECT((record) != NULL))                                                                         \
			exit(registry_close());                                                                        \
	} while (0)

/** Was it made by this function? */
#define EXPECT_CALL(record, name) EXPECT(strcmp(registry_call((record)->call), name) == 0)
#define EXPECT_NAME(record, text) EXPECT(strcmp((record)->name, text) == 0)
/** A record at rest: its sequence is even. */
#define EXPECT_AT_REST(record) EXPECT((record)->sequence % 2 == 0)

__attribute__((unused)) static const void *span_at(struct trk_span span)
{
	return (const void *)(uintptr_t)span.addr;
}

/** Do the numbers of a span stand as expected? */
__attribute__((unused)) static bool span_is_i32(struct trk_span span, int n, const int expected[])
{
	const int32_t *seen = span_at(span);

	if (span.n != (uint32_t)n || span.total != (uint32_t)n)
		return false;
	for (int i = 0; i < n; i++)
		if (seen[i] != expected[i])
			return false;
	return true;
}

__attribute__((unused)) static bool span_is_i64(struct trk_span span, int n, const long long expected[])
{
	const int64_t *seen = span_at(span);

	if (span.n != (uint32_t)n || span.total != (uint32_t)n)
		return false;
	for (int i = 0; i < n; i++)
		if (seen[i] != expected[i])
			return false;
	return true;
}

/** Are these the world ranks of the members? An empty list stands for 0, 1, 2 ... */
__attribute__((unused)) static bool members_are(struct trk_span members, int n, const int ranks[])
{
	const struct trk_member *m = span_at(members);

	if (members.total != members.n || (members.total && members.n != (uint32_t)n))
		return false;
	for (int i = 0; i < n; i++)
		if (m ? m[i].rank != ranks[i] || m[i].world != 0 : ranks[i] != i)
			return false;
	return true;
}

/** The value of a key in a span of pairs; NULL: it is not there. */
__attribute__((unused)) static const char *pair_value(struct trk_span pairs, const char *key)
{
	const struct trk_pair *p = span_at(pairs);

	for (uint32_t i = 0; i < pairs.n; i++)
		if (strcmp((const char *)(uintptr_t)p[i].key_addr, key) == 0)
			return (const char *)(uintptr_t)p[i].value_addr;
	return NULL;
}

/** The attribute of a key; NULL: none. */
__attribute__((unused)) static const struct trk_attribute *attribute_of(struct trk_span attributes, int key)
{
	const struct trk_attribute *a = span_at(attributes);

	for (uint32_t i = 0; i < attributes.n; i++)
		if (a[i].key == key)
			return &a[i];
	return NULL;
}

#endif /* TRACK_OBJECT_H */
