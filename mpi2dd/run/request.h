/* SPDX-License-Identifier: BSD-3-Clause */
/**
 * @file request.h
 * Parses one line of the starter's protocol (mpi2dd/tables/starter.h). The input is untrusted.
 */
#ifndef RUN_REQUEST_H
#define RUN_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

enum run_verb { RUN_HELLO, RUN_VERDICT, RUN_PLACE, RUN_WATCH, RUN_FINAL };

/** A parsed request. The strings point into the line. */
struct run_request {
	enum run_verb verb;
	const char *job;
	int rank;                    /**< HELLO, VERDICT, FINAL: rank in MPI_COMM_WORLD; -1: not known */
	int size;                    /**< HELLO: local size; VERDICT, FINAL: world size; 1 or more */
	bool good;                   /**< VERDICT: all processes of the node carry the library */
	const char *host;            /**< PLACE, WATCH: host name */
	const char *executable, *id; /**< PLACE: path of the program; comm_world_id */
	int pid;                     /**< PLACE, WATCH, FINAL; 1 or more */
};

/**
 * Can these first bytes still become a valid request with this cookie? The comparison takes constant time, so that it
 * does not reveal the cookie.
 */
bool run_request_may_be(const char *line, size_t n, const char *cookie);

/**
 * Parse a line in place.
 *
 * @param line   without its newline, @p n bytes; line[n] must be writable
 * @param cookie M2D_STARTER_COOKIE_CHARS hexadecimal digits
 * @param[out] ret undefined on failure
 * @return false: not a valid request
 */
bool run_request_parse(char *line, size_t n, const char *cookie, struct run_request *ret);

/** Parse a decimal number in the range least..most. @return false: anything else, with @p ret unchanged. */
bool run_request_number(const char *word, int least, int most, int *ret);

#endif /* RUN_REQUEST_H */
