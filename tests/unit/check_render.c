/* SPDX-License-Identifier: BSD-3-Clause */
/* render/: UTF-8, JSON and text of facts with arbitrary names. */
#include "../../render/comm.h"
#include "../../render/fact.h"
#include "../../render/json.h"
#include "../../render/operation.h"
#include "../../render/process.h"
#include "../../render/text.h"
#include "../../access/quote.h"
#include "../../access/rc.h"
#include "../support/suite.h"

#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a sink ----------------------------------------------------------------------------------------- */

static char sink[1 << 18];
static size_t n_sink, n_writes, fail_at;

static int write_sink(void *ctx, const char *text, size_t n)
{
	(void)ctx;
	if (fail_at && ++n_writes >= fail_at)
		return 1;
	ck_assert_uint_lt(n_sink + n, sizeof(sink));
	memcpy(sink + n_sink, text, n);
	n_sink += n;
	sink[n_sink] = '\0';
	return 0;
}

static void begin(struct out *o, bool json)
{
	n_sink = n_writes = fail_at = 0;
	sink[0] = '\0';
	out_begin(o, json, write_sink, NULL);
}

static const char *text_of(struct out *o)
{
	ck_assert(out_end(o));
	return sink;
}

static json_t *json_of(struct out *o)
{
	json_error_t error;
	json_t *json = json_loads(text_of(o), JSON_REJECT_DUPLICATES, &error);

	ck_assert_msg(json, "%s at %d: %s", error.text, error.position, sink);
	return json;
}

/* ---- UTF-8 ------------------------------------------------------------------------------------------ */

START_TEST(test_utf8)
{
	static const struct {
		const char *text;
		unsigned n;
		uint32_t c;
	} rows[] = {
		{ "a", 1, 'a' },
		{ "\xc3\xbc", 2, 0xfc },
		{ "\xe2\x82\xac", 3, 0x20ac },
		{ "\xf0\x9f\x90\x81", 4, 0x1f401 },
		{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
		{ "\x80", 0, 0x80 },             /* stray */
		{ "\xc0\xaf", 0, 0xc0 },         /* overlong */
		{ "\xe0\x80\x80", 0, 0xe0 },     /* overlong */
		{ "\xf0\x80\x80\x80", 0, 0xf0 }, /* overlong */
		{ "\xed\xa0\x80", 0, 0xed },     /* a surrogate */
		{ "\xf4\x90\x80\x80", 0, 0xf4 }, /* beyond the last */
		{ "\xff", 0, 0xff },
		{ "\xe2\x82", 0, 0xe2 }, /* cut */
		{ "\xc3(", 0, 0xc3 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		uint32_t c;

		ck_assert_msg(acc_utf8_next(rows[i].text, &c) == rows[i].n, "row %zu", i);
		ck_assert_msg(c == rows[i].c, "row %zu: 0x%x", i, (unsigned)c);
	}
}
END_TEST

START_TEST(test_shown)
{
	static const uint32_t hidden[] = { 0,      7,      0x1b,   0x7f,   0x80,   0x9b,   0x9f,
					   0x200b, 0x202e, 0x2028, 0x2066, 0xfeff, 0xe0041 };
	static const uint32_t shown[] = { ' ', 'a', '~', 0xa0, 0xfc, 0x20ac, 0x1f401 };

	for (size_t i = 0; i < sizeof(hidden) / sizeof(hidden[0]); i++)
		ck_assert_msg(!acc_utf8_shown(hidden[i]), "0x%x", (unsigned)hidden[i]);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		ck_assert_msg(acc_utf8_shown(shown[i]), "0x%x", (unsigned)shown[i]);
}
END_TEST

START_TEST(test_clean)
{
	char ret[8];

	acc_clean(ret, sizeof(ret), "ab\033c\xff");
	ck_assert_str_eq(ret, "ab?c?");
	acc_clean(ret, sizeof(ret), "abcdefgh");
	ck_assert_str_eq(ret, "abcdefg");
	acc_clean(ret, sizeof(ret), "abcdef\xc3\xbc"); /* not in the middle of a character */
	ck_assert_str_eq(ret, "abcdef");
	acc_clean(ret, 1, "abc");
	ck_assert_str_eq(ret, "");
	acc_clean(ret, sizeof(ret), "\xe2\x80\xaex"); /* right to left */
	ck_assert_str_eq(ret, "?x");
}
END_TEST

START_TEST(test_quote)
{
	char ret[64];
	struct out o;

	ck_assert_uint_eq(acc_quote(ret, sizeof(ret), "a\033\x9b\xc2\x9b\xe2\x80\xae\xc3\xbc"), 25);
	ck_assert_str_eq(ret, "a\\x1b\\x9b\\u{9b}\\u{202e}\xc3\xbc");
	acc_quote(ret, 6, "abc\033"); /* not in the middle of an escape */
	ck_assert_str_eq(ret, "abc");
	/* with any content of a line */
	begin(&o, false);
	out_text(&o, "is %s", "x\x9b\xe2\x80\xaey");
	ck_assert_str_eq(text_of(&o), "is x\\x9b\\u{202e}y");
	/* a note, as every error string is one */
	struct acc_note note = { .rc = ACC_OK };
	acc_note(&note, ACC_ECORRUPT, "%s: bad", "n\x9b\033[2J");
	ck_assert_str_eq(note.text, "n\\x9b\\x1b[2J: bad");
}
END_TEST

/* ---- JSON ------------------------------------------------------------------------------------------- */

START_TEST(test_json_shapes)
{
	struct out o;

	begin(&o, true);
	out_json_object(&o, NULL);
	out_json_int(&o, "a", INT64_MIN);
	out_json_uint(&o, "b", INT64_MAX);
	out_json_array(&o, "c");
	out_json_array_end(&o);
	out_json_array(&o, "d");
	out_json_int(&o, NULL, 1);
	out_json_object(&o, NULL);
	out_json_object_end(&o);
	out_json_null(&o, NULL);
	out_json_array_end(&o);
	out_json_bool(&o, "e", true);
	out_json_addr(&o, "f", 0xfedcba9876543210);
	out_json_num(&o, "g", mdl_known(-5));
	out_json_num(&o, "h", mdl_any());
	out_json_num(&o, "i", mdl_unavailable("because"));
	out_json_num(&o, "j", mdl_none());
	out_json_num_addr(&o, "k", mdl_known(16));
	out_json_num_addr(&o, "l", mdl_unavailable(NULL));
	out_json_object_end(&o);
	ck_assert_str_eq(text_of(&o),
			 "{\"a\":-9223372036854775808,\"b\":9223372036854775807,\"c\":[],\"d\":[1,{},null],\"e\":true,"
			 "\"f\":\"0xfedcba9876543210\",\"g\":-5,\"h\":null,\"h_why\":\"any\",\"i\":null,"
			 "\"i_why\":\"because\",\"k\":\"0x10\",\"l\":null,\"l_why\":\"unknown\"}");
}
END_TEST

/* Every byte, and every pair with a lead byte, gives valid JSON. */
START_TEST(test_json_any_bytes)
{
	for (int a = 1; a < 256; a++) {
		for (int b = 0; b < 256; b++) {
			char name[4] = { (char)a, (char)b, b ? 'x' : '\0', '\0' };
			struct out o;

			begin(&o, true);
			out_json_array(&o, NULL);
			out_json_string(&o, NULL, name);
			out_json_array_end(&o);
			for (size_t i = 0; i < o.n; i++)
				ck_assert_int_ge((unsigned char)o.buffer[i], ' ');
			json_decref(json_of(&o));
		}
	}
}
END_TEST

START_TEST(test_json_strings)
{
	struct out o;

	begin(&o, true);
	out_json_array(&o, NULL);
	out_json_string(&o, NULL, "q\"b\\n\n\033\xc3\xbc\xff\xe2\x80\xae");
	out_json_string(&o, NULL, "\xf3\xa0\x81\x81"); /* a tag character: hidden, beyond 16 bits */
	out_json_string(&o, NULL, NULL);
	out_json_string(&o, NULL, "");
	out_json_array_end(&o);
	ck_assert_str_eq(text_of(&o),
			 "[\"q\\\"b\\\\n\\u000a\\u001b\xc3\xbc\\ufffd\\u202e\",\"\\udb40\\udc41\",null,\"\"]");
}
END_TEST

/* ---- text ------------------------------------------------------------------------------------------- */

START_TEST(test_text_lines)
{
	struct out o;

	begin(&o, false);
	o.indent = 3;
	out_line(&o, 0);
	out_text(&o, "a");
	out_column(&o, 6);
	out_text(&o, "b");
	out_line(&o, 2);
	out_text(&o, "longer than the column");
	out_column(&o, 6);
	out_count(&o, 1, "rank");
	out_text(&o, " ");
	out_count(&o, 2, "rank");
	out_line_end(&o);
	out_line_end(&o);
	ck_assert_str_eq(text_of(&o), "   a     b\n       longer than the column  1 rank 2 ranks\n");
}
END_TEST

START_TEST(test_text_names)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{ "MPI_COMM_WORLD", "MPI_COMM_WORLD" },
		{ "/home/u/ring", "/home/u/ring" },
		{ "row 0", "\"row 0\"" },
		{ "", "\"\"" },
		{ "a\"b\\", "\"a\\\"b\\\\\"" },
		{ "\033[31m", "\"\\x1b[31m\"" },
		{ "\xc3\xbc", "\"\xc3\xbc\"" },
		{ "\xff", "\"\\xff\"" },
		{ "\xe2\x80\xae", "\"\\u{202e}\"" },
		{ "a\nb", "\"a\\x0ab\"" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct out o;

		begin(&o, false);
		out_name(&o, rows[i].name, true);
		ck_assert_str_eq(text_of(&o), rows[i].text);
	}
}
END_TEST

START_TEST(test_color)
{
	struct out o;

	begin(&o, false);
	out_color(&o, OUT_SEND);
	out_text(&o, "x");
	ck_assert_str_eq(text_of(&o), "x");
	begin(&o, false);
	o.color = true;
	out_color(&o, OUT_SEND);
	out_text(&o, "x");
	out_color(&o, OUT_PLAIN);
	ck_assert_str_eq(text_of(&o), "\033[32mx\033[0m");
}
END_TEST

/* More than the buffer, and a reader that stops. */
START_TEST(test_buffer)
{
	struct out o;

	begin(&o, false);
	for (int i = 0; i < 20000; i++)
		out_bytes(&o, "0123456789", 10);
	ck_assert_uint_eq(strlen(text_of(&o)), 200000);
	ck_assert_int_eq(memcmp(sink + 199990, "0123456789", 10), 0);
	begin(&o, false);
	fail_at = 3;
	for (int i = 0; i < 20000; i++)
		out_bytes(&o, "0123456789", 10);
	ck_assert(!out_end(&o));
	ck_assert_uint_eq(n_writes, 3); /* not asked again */
}
END_TEST

/* ---- members ---------------------------------------------------------------------------------------- */

static struct mdl_member member(int64_t rank)
{
	return (struct mdl_member){ .known = true, .own_world = true, .job = 1, .world_rank = rank };
}

static const char *members_text(const int *ranks, int n, bool *identity)
{
	static struct out_members m;
	struct out o;

	begin(&o, false);
	out_members_begin(&m, &o, "members");
	for (int i = 0; i < n; i++) {
		struct mdl_member one = member(ranks[i]);

		if (ranks[i] == -1)
			one = (struct mdl_member){ .known = false };
		if (ranks[i] >= 1000)
			one = (struct mdl_member){ .known = true, .job = 7, .world_rank = ranks[i] - 1000 };
		out_member(&m, &one);
	}
	out_members_end(&m);
	*identity = m.identity;
	return m.text;
}

START_TEST(test_members)
{
	bool identity;

	ck_assert_str_eq(members_text((int[]){ 0, 1, 2, 3 }, 4, &identity), "[0-3]");
	ck_assert(identity);
	ck_assert_str_eq(members_text((int[]){ 0 }, 1, &identity), "[0]");
	ck_assert(identity);
	ck_assert_str_eq(members_text(NULL, 0, &identity), "[]");
	ck_assert_str_eq(members_text((int[]){ 0, 2, 3, 7 }, 4, &identity), "[0,2-3,7]");
	ck_assert(!identity);
	ck_assert_str_eq(members_text((int[]){ 3, 2, 1, 0 }, 4, &identity), "[3,2,1,0]");
	ck_assert_str_eq(members_text((int[]){ 1000, 1001 }, 2, &identity), "[world 7:0-1]");
	ck_assert(!identity);
	ck_assert_str_eq(members_text((int[]){ 0, -1, -1, 3 }, 4, &identity), "[0,2 unreadable,3]");
	ck_assert(!identity);

	int many[1000];
	for (int i = 0; i < 1000; i++)
		many[i] = 2 * i;
	const char *text = members_text(many, 1000, &identity);
	ck_assert_uint_lt(strlen(text), OUT_MEMBERS_BYTES);
	ck_assert_ptr_nonnull(strstr(text, " more]"));
}
END_TEST

START_TEST(test_members_json)
{
	struct out_members m;
	struct out o;
	struct mdl_member own = member(3), other = { .known = true, .job = 7, .world_rank = 1 },
			  unknown = { .known = false };

	begin(&o, true);
	out_json_object(&o, NULL);
	out_members_begin(&m, &o, "members");
	out_member(&m, &own);
	out_member(&m, &other);
	out_member(&m, &unknown);
	out_members_end(&m);
	out_json_object_end(&o);
	ck_assert_str_eq(text_of(&o), "{\"members\":[3,{\"job\":7,\"rank\":1},null]}");
}
END_TEST

/* ---- operations ------------------------------------------------------------------------------------- */

static struct mdl_op receive(void)
{
	struct mdl_op op = {
		.kind = MDL_RECEIVE,
		.active = true,
		.peer = mdl_known(3),
		.peer_world = mdl_known(3),
		.tag = mdl_known(99),
		.bytes = mdl_known(8),
		.count = mdl_known(1),
		.datatype = "MPI_DOUBLE",
		.datatype_handle = mdl_known(0x7f00),
		.buffer = mdl_known(0x1000),
		.actual_peer = mdl_none(),
		.actual_peer_world = mdl_none(),
		.actual_tag = mdl_none(),
		.actual_bytes = mdl_none(),
		.request = mdl_known(0x5500),
		.fortran = mdl_unavailable(NULL),
		.addr = 0x5500,
		.origin = "ob1",
	};

	return op;
}

static const char *line_of(const struct mdl_op *op, const struct out_caller *caller)
{
	struct out o;

	begin(&o, false);
	out_operation(&o, op, caller);
	return text_of(&o);
}

START_TEST(test_operation_text)
{
	struct out_caller nobody = { 0 }, known = { .known = true };
	struct out_caller blocked = { .known = true, .claimed = true, .thread = 42, .function = "MPI_Recv" };
	struct out_caller waits = { .known = true, .claimed = true, .thread = 42 };
	struct mdl_op op = receive();

	ck_assert_str_eq(line_of(&op, &nobody),
			 "    receive                    from 3     tag 99   8 bytes (1 MPI_DOUBLE)\n");
	ck_assert_str_eq(line_of(&op, &known),
			 "    receive                    from 3     tag 99   8 bytes (1 MPI_DOUBLE)\n");
	ck_assert_str_eq(
		line_of(&op, &blocked),
		"    receive     MPI_Recv       from 3     tag 99   8 bytes (1 MPI_DOUBLE)  blocked: thread 42\n");
	ck_assert_str_eq(
		line_of(&op, &waits),
		"    receive                    from 3     tag 99   8 bytes (1 MPI_DOUBLE)  awaited: thread 42\n");
	op.peer = mdl_any();
	op.tag = mdl_any();
	op.status = MDL_MATCHED;
	op.actual_peer = mdl_known(2);
	op.actual_tag = mdl_known(5);
	op.actual_bytes = mdl_known(4);
	ck_assert_ptr_nonnull(strstr(line_of(&op, &known), "from any  "));
	ck_assert_ptr_nonnull(strstr(line_of(&op, &known), "matched, from 2, tag 5, 4 bytes arrive\n"));
	op = receive();
	op.tag = mdl_unavailable("the header is torn");
	ck_assert_ptr_nonnull(strstr(line_of(&op, &known), "tag unavailable"));
	ck_assert_ptr_nonnull(strstr(line_of(&op, &known), "tag unavailable: the header is torn\n"));
	op = receive();
	op.kind = MDL_SEND;
	op.mode = MDL_SYNCHRONOUS;
	op.peer_world = mdl_known(5);
	ck_assert_ptr_nonnull(strstr(line_of(&op, &known), "send                       to 3 (world rank 5)"));
	ck_assert_ptr_nonnull(strstr(line_of(&op, &known), "synchronous, waiting for the receiver\n"));
	op = receive();
	op.kind = MDL_MESSAGE;
	op.count = mdl_none();
	op.datatype[0] = '\0';
	op.protocol = MDL_RENDEZVOUS;
	ck_assert_str_eq(line_of(&op, &known),
			 "    unexpected                 from 3     tag 99   8 bytes                 rendezvous\n");
}
END_TEST

static json_t *operation_json(const struct mdl_op *op, const struct out_caller *caller)
{
	struct out o;

	begin(&o, true);
	out_operation(&o, op, caller);
	return json_of(&o);
}

START_TEST(test_operation_json)
{
	struct out_caller nobody = { 0 }, known = { .known = true };
	struct out_caller blocked = { .known = true, .claimed = true, .thread = 42, .function = "MPI_Recv" };
	struct mdl_op op = receive();
	json_t *json = operation_json(&op, &nobody);

	ck_assert(json_is_null(json_object_get(json, "function")));
	ck_assert(json_is_string(json_object_get(json, "function_why")));
	ck_assert(json_is_null(json_object_get(json, "blocking")));
	ck_assert_int_eq(json_integer_value(json_object_get(json, "peer")), 3);
	ck_assert_str_eq(json_string_value(json_object_get(json, "request")), "0x5500");
	ck_assert_str_eq(json_string_value(json_object_get(json, "kind")), "receive");
	ck_assert_ptr_null(json_object_get(json, "actual_tag"));
	ck_assert_ptr_null(json_object_get(json, "mode"));
	ck_assert_ptr_null(json_object_get(json, "fortran"));
	ck_assert_ptr_null(json_object_get(json, "thread"));
	json_decref(json);

	json = operation_json(&op, &known);
	ck_assert(json_is_null(json_object_get(json, "function")));
	ck_assert_ptr_nonnull(strstr(json_string_value(json_object_get(json, "function_why")), "does not record"));
	ck_assert(json_is_false(json_object_get(json, "blocking")));
	json_decref(json);

	json = operation_json(&op, &blocked);
	ck_assert_str_eq(json_string_value(json_object_get(json, "function")), "MPI_Recv");
	ck_assert(json_is_true(json_object_get(json, "blocking")));
	ck_assert_int_eq(json_integer_value(json_object_get(json, "thread")), 42);
	json_decref(json);

	op.kind = MDL_MESSAGE;
	op.request = mdl_unavailable("a message has none");
	op.peer = mdl_any();
	json = operation_json(&op, &known);
	ck_assert_ptr_null(json_object_get(json, "function"));
	ck_assert_ptr_null(json_object_get(json, "request"));
	ck_assert(json_is_null(json_object_get(json, "peer")));
	ck_assert_str_eq(json_string_value(json_object_get(json, "peer_why")), "any");
	json_decref(json);

	op = receive();
	op.kind = MDL_PROBE; /* in a queue only while a call is blocked in it */
	json = operation_json(&op, &nobody);
	ck_assert_str_eq(json_string_value(json_object_get(json, "function")), "MPI_Probe");
	ck_assert(json_is_true(json_object_get(json, "blocking")));
	json_decref(json);
}
END_TEST

START_TEST(test_functions)
{
	static const struct {
		enum mdl_op_kind kind;
		enum mdl_send_mode mode;
		bool persistent;
		const char *function;
		enum mdl_op_status status;
	} rows[] = {
		{ MDL_SEND, MDL_STANDARD, false, NULL },
		{ MDL_SEND, MDL_STANDARD, true, "MPI_Send_init" },
		{ MDL_SEND, MDL_SYNCHRONOUS, false, NULL },
		{ MDL_SEND, MDL_SYNCHRONOUS, true, "MPI_Ssend_init" },
		{ MDL_SEND, MDL_BUFFERED, false, NULL },
		{ MDL_SEND, MDL_BUFFERED, true, "MPI_Bsend_init" },
		{ MDL_SEND, MDL_READY, false, NULL },
		{ MDL_SEND, MDL_READY, true, "MPI_Rsend_init" },
		{ MDL_RECEIVE, 0, false, NULL },
		{ MDL_RECEIVE, 0, true, "MPI_Recv_init" },
		{ MDL_MPROBE, 0, false, "MPI_Mprobe" },
		{ MDL_MPROBE, 0, false, NULL, MDL_MATCHED },
	};
	struct mdl_op op = receive();

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		op.kind = rows[i].kind;
		op.mode = rows[i].mode;
		op.persistent = rows[i].persistent;
		op.status = rows[i].status;
		ck_assert_pstr_eq(out_function(&op), rows[i].function);
	}
	op.internal = true;
	ck_assert_ptr_null(out_function(&op));
}
END_TEST

/* ---- communicators and processes ---------------------------------------------------------------------- */

START_TEST(test_comm)
{
	struct mdl_comm comm = { .id = 16,
				 .handle = 16,
				 .fortran = mdl_known(0),
				 .context = mdl_known(3),
				 .name = "row 0",
				 .rank = 1,
				 .size = 2,
				 .topology = MDL_TOPO_CART };
	struct mdl_topology cart = { .kind = MDL_TOPO_CART,
				     .n_dims = 2,
				     .dims = (int32_t[]){ 2, 1 },
				     .periods = (int32_t[]){ 0, 1 },
				     .coords = (int32_t[]){ 1, 0 } };
	struct out_members m;
	struct mdl_member members[] = { member(0), member(2) };
	struct out o;

	for (int json = 0; json < 2; json++) {
		begin(&o, json);
		out_comm_begin(&o, &comm, false);
		out_members_begin(&m, &o, "members");
		out_member(&m, &members[0]);
		out_member(&m, &members[1]);
		out_members_end(&m);
		out_comm_members(&o, &m, false, false);
		out_topology(&o, &cart);
		out_comm_end(&o, UINT64_MAX);
		if (!json) {
			ck_assert_str_eq(
				text_of(&o),
				"  \"row 0\"                   rank 1 of 2     intra   context 3     Fortran 0\n"
				"    members [0,2] (2 ranks)\n"
				"    cartesian topology, dims [2,1] periods [no,yes] coords [1,0]\n");
			continue;
		}
		ck_assert_str_eq(
			text_of(&o),
			"{\"id\":\"0x10\",\"handle\":\"0x10\",\"fortran\":0,\"name\":\"row 0\",\"kind\":\"intra\","
			"\"context\":3,\"predefined\":false,\"internal\":false,\"rank\":1,\"size\":2,"
			"\"members\":[0,2],\"topology\":{\"kind\":\"cart\",\"dims\":[2,1],"
			"\"periods\":[false,true],\"coords\":[1,0],\"reorder\":false}}");
	}
	begin(&o, false);
	out_comm_begin(&o, &comm, true);
	out_comm_members(&o, &m, false, true);
	out_comm_end(&o, 0);
	ck_assert_ptr_nonnull(strstr(text_of(&o), "\"row 0\"  rank 1 of 2"));
	ck_assert_ptr_nonnull(strstr(sink, "  (no pending operations)\n"));
}
END_TEST

START_TEST(test_process)
{
	struct mdl_library lib = { .implementation = "Open MPI",
				   .version = "4.1.4",
				   .component = "ob1",
				   .state = MDL_INITIALIZED,
				   .world_rank = mdl_known(0),
				   .world_size = mdl_known(4),
				   .job = mdl_known(7),
				   .layout = "pack x" };
	struct out_identity identity = { .pid = 4712, .host = "node1", .executable = "/home/u/ring" };
	static const char *const backtrace[] = { "poll", "main at \033ring.c:10" };
	struct out_call call = { .thread = 4712,
				 .function = "MPI_Recv",
				 .backtrace = backtrace,
				 .n_backtrace = 2,
				 .communicator = "row 0",
				 .operations = (uint64_t[]){ 0x55 },
				 .n_operations = 1 };
	struct out o;

	begin(&o, false);
	out_process_begin(&o, &identity, &lib, NULL);
	out_calls_begin(&o);
	out_call(&o, &call);
	out_calls_end(&o, 1);
	out_problems_begin(&o);
	out_problem(&o, "something\n");
	out_problems_end(&o);
	out_process_end(&o);
	ck_assert_str_eq(text_of(&o), "rank 0 of 4  pid 4712  host node1  /home/u/ring  (Open MPI 4.1.4, ob1)\n"
				      "  thread 4712 in MPI_Recv on \"row 0\"\n"
				      "  problem: something\\x0a\n");
	begin(&o, true);
	out_process_begin(&o, &identity, &lib, NULL);
	out_calls_begin(&o);
	out_call(&o, &call);
	out_calls_end(&o, 1);
	out_problems_begin(&o);
	out_problems_end(&o);
	out_process_end(&o);
	json_t *json = json_of(&o);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "rank")), 0);
	ck_assert_int_eq(json_integer_value(json_object_get(json_object_get(json, "world"), "size")), 4);
	ck_assert(json_is_null(json_object_get(json_object_get(json, "mpi"), "thread_multiple")));
	ck_assert_uint_eq(json_array_size(json_object_get(json, "calls")), 1);
	json_decref(json);

	begin(&o, true);
	out_process_begin(&o, &identity, NULL, "no MPI");
	out_process_end(&o);
	json = json_of(&o);
	ck_assert(json_is_null(json_object_get(json, "rank")));
	ck_assert_str_eq(json_string_value(json_object_get(json, "mpi_why")), "no MPI");
	json_decref(json);
}
END_TEST

/* All lists of an answer together are limited, and the answer says how many elements are omitted. */
START_TEST(test_list_room)
{
	struct out_fact_list list;
	struct out o;

	begin(&o, true);
	out_json_object(&o, NULL);
	ck_assert_uint_eq(out_fact_room(&o, OUT_ITEMS_MAX - 3), OUT_ITEMS_MAX - 3);
	out_fact_list(&o, "members", &list);
	ck_assert_uint_eq(out_fact_room(&o, 5), 3);
	for (int i = 0; i < 3; i++)
		out_fact_item(&o, &list, i);
	out_fact_left(&list, 2);
	out_fact_list_end(&o, "members", &list, 7);
	out_json_uint(&o, "most", INT64_MAX);
	out_json_uint(&o, "too_large", (uint64_t)INT64_MAX + 1);
	out_fact_list(&o, "none", &list);
	ck_assert_uint_eq(out_fact_room(&o, UINT64_MAX), 0);
	out_fact_left(&list, (uint64_t)1 << 40);
	out_fact_list_end(&o, "none", &list, 0);
	out_json_object_end(&o);
	json_t *json = json_of(&o);
	ck_assert_uint_eq(json_array_size(json_object_get(json, "members")), 3);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "members_more")), 2);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "members_missing")), 7);
	ck_assert_int_eq(json_integer_value(json_object_get(json, "most")), INT64_MAX);
	ck_assert(json_is_null(json_object_get(json, "too_large")) && json_object_get(json, "too_large_why"));
	ck_assert_uint_eq(json_array_size(json_object_get(json, "none")), 0);
	ck_assert(json_object_get(json, "none_more") && !json_object_get(json, "none_missing"));
	json_decref(json);

	begin(&o, false);
	out_fact_list(&o, "members", &list);
	for (int i = 0; i < 66; i++)
		out_fact_item(&o, &list, i);
	out_fact_left(&list, 4);
	out_fact_list_end(&o, "members", &list, 0);
	ck_assert_msg(strstr(text_of(&o), "62,63, 6 more]"), "%s", sink);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("render");
	TCase *tc = tcase_create("render");

	tcase_add_test(tc, test_utf8);
	tcase_add_test(tc, test_shown);
	tcase_add_test(tc, test_clean);
	tcase_add_test(tc, test_quote);
	tcase_add_test(tc, test_json_shapes);
	tcase_add_test(tc, test_json_any_bytes);
	tcase_add_test(tc, test_json_strings);
	tcase_add_test(tc, test_text_lines);
	tcase_add_test(tc, test_text_names);
	tcase_add_test(tc, test_color);
	tcase_add_test(tc, test_buffer);
	tcase_add_test(tc, test_members);
	tcase_add_test(tc, test_members_json);
	tcase_add_test(tc, test_operation_text);
	tcase_add_test(tc, test_operation_json);
	tcase_add_test(tc, test_functions);
	tcase_add_test(tc, test_comm);
	tcase_add_test(tc, test_process);
	tcase_add_test(tc, test_list_room);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	return suite_run(suite());
}
