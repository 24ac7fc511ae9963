/* SPDX-License-Identifier: BSD-3-Clause */
#include "screen.h"

#include "../access/quote.h"

#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <wchar.h>

enum { RED = 1, ESCAPE = 27 };

static SCREEN *screen;
static int terminal_fd = -1; /* standard error, while it is diverted */
static volatile sig_atomic_t ended;

static void on_end(int signal)
{
	(void)signal;
	ended = 1;
}

bool cmd_screen_is_there(void)
{
	const char *term = getenv("TERM");

	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term;
}

/* What is written to standard error while the screen is shown would be in the middle of it, and may scroll it. */
static void divert_messages(void)
{
	int fd = isatty(STDERR_FILENO) ? memfd_create("messages", MFD_CLOEXEC) : -1;

	if (fd < 0)
		return;
	fflush(stderr);
	terminal_fd = dup(STDERR_FILENO);
	if (terminal_fd >= 0)
		dup2(fd, STDERR_FILENO);
	close(fd);
}

/* Standard error as it was, with what was written in the meantime, as far as a page has room for it. */
static void return_messages(void)
{
	char text[4096];

	if (terminal_fd < 0)
		return;
	fflush(stderr);
	ssize_t n = pread(STDERR_FILENO, text, sizeof(text), 0);
	dup2(terminal_fd, STDERR_FILENO);
	close(terminal_fd);
	terminal_fd = -1;
	if (n > 0)
		fwrite(text, 1, (size_t)n, stderr);
}

bool cmd_screen_begin(bool color)
{
	const struct sigaction action = { .sa_handler = on_end }; /* no SA_RESTART, so that getch() returns */

	setlocale(LC_CTYPE, "");
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGHUP, &action, NULL);
	sigaction(SIGQUIT, &action, NULL);
	screen = newterm(NULL, stdout, stdin);
	if (!screen)
		return false;
	divert_messages();
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	set_escdelay(50);
	curs_set(0);
	if (color && has_colors()) {
		start_color();
		use_default_colors();
		init_pair(RED, COLOR_RED, -1);
	}
	return true;
}

void cmd_screen_end(void)
{
	if (!screen)
		return;
	endwin();
	delscreen(screen);
	screen = NULL;
	return_messages();
}

size_t cmd_screen_rows(void)
{
	return LINES > 4 ? (size_t)LINES - 3 : 1;
}

size_t cmd_screen_columns(void)
{
	return COLS > 0 ? (size_t)COLS : 1;
}

/* Write as much of a text as fits into one line. */
static void put_text(int y, const char *text, int attributes)
{
	int x = 0;

	if (y < 0 || y >= LINES)
		return;
	move(y, 0);
	attrset(attributes);
	while (text && *text) {
		uint32_t c;
		unsigned n = acc_utf8_next(text, &c);
		int width = n > 1 ? wcwidth((wchar_t)c) : 1;
		if (n == 0 || width < 1) {
			text++;
			continue;
		}
		if (x + width > COLS)
			break;
		addnstr(text, (int)n);
		x += width;
		text += n;
	}
	if (attributes & A_REVERSE)
		for (; x < COLS; x++)
			addch(' ');
	attrset(A_NORMAL);
}

void cmd_screen_draw(const char *title, const char *heading, const struct cmd_screen_line *lines, size_t n,
		     const char *status)
{
	int y = 2;

	erase();
	put_text(0, title, A_BOLD);
	put_text(1, heading, A_UNDERLINE);
	for (size_t i = 0; i < n && y < LINES - 1; i++, y++)
		put_text(y, lines[i].text,
			 (lines[i].selected ? A_REVERSE : 0) | (lines[i].alarm ? COLOR_PAIR(RED) | A_BOLD : 0));
	put_text(LINES - 1, status, A_DIM);
	refresh();
}

enum cmd_key cmd_screen_key(double seconds)
{
	timeout(seconds > 0 ? (int)(seconds * 1e3) + 1 : 0);
	int key = ended ? ERR : getch();
	if (ended)
		return CMD_KEY_QUIT;
	switch (key) {
	case 'q':
	case 'Q':
		return CMD_KEY_QUIT;
	case 'k':
	case KEY_UP:
		return CMD_KEY_UP;
	case 'j':
	case KEY_DOWN:
		return CMD_KEY_DOWN;
	case KEY_PPAGE:
		return CMD_KEY_PAGE_UP;
	case KEY_NPAGE:
	case ' ':
		return CMD_KEY_PAGE_DOWN;
	case 'p':
	case KEY_LEFT:
		return CMD_KEY_LEFT;
	case 'n':
	case KEY_RIGHT:
		return CMD_KEY_RIGHT;
	case '\r':
	case '\n':
	case KEY_ENTER:
		return CMD_KEY_OPEN;
	case ESCAPE:
	case 127:
	case '\b':
	case KEY_BACKSPACE:
		return CMD_KEY_BACK;
	case 's':
		return CMD_KEY_SORT;
	case '?':
	case 'h':
		return CMD_KEY_HELP;
	default:
		return CMD_KEY_NONE;
	}
}

static void mask(int how)
{
	sigset_t stops;

	sigemptyset(&stops);
	sigaddset(&stops, SIGTSTP);
	sigaddset(&stops, SIGTTOU);
	sigaddset(&stops, SIGTTIN);
	sigprocmask(how, &stops, NULL);
}

void cmd_screen_hold(void)
{
	mask(SIG_BLOCK);
}

void cmd_screen_let_go(void)
{
	mask(SIG_UNBLOCK);
}
