! SPDX-License-Identifier: BSD-3-Clause
! Objects made by a Fortran program; fortran/check.c compares them with the registry. Compiled with the module mpi, and
! with F08 defined with the module mpi_f08.
module callbacks
#ifdef F08
  use mpi_f08
#elif !defined(MPIF)
  use mpi
#endif
  implicit none
#ifdef MPIF
  include 'mpif.h'
#endif
contains
#ifdef F08
  subroutine copy(comm, key, extra, in, out, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete(comm, key, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handler(comm, code)
    type(MPI_Comm) :: comm
    integer :: code
  end subroutine
  subroutine file_handler(fh, code)
    type(MPI_File) :: fh
    integer :: code
  end subroutine
  subroutine win_handler(win, code)
    type(MPI_Win) :: win
    integer :: code
  end subroutine
#else
  subroutine copy(comm, key, extra, in, out, flag, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    out = in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete(comm, key, value, extra, ierror)
    integer :: comm, key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    ierror = MPI_SUCCESS
  end subroutine
  subroutine handler(comm, code)
    integer :: comm, code
  end subroutine
  subroutine file_handler(fh, code)
    integer :: fh, code
  end subroutine
  subroutine win_handler(win, code)
    integer :: win, code
  end subroutine
  subroutine add(in, inout, n, type)
    integer :: n, type
    integer :: in(n), inout(n)
    inout = inout + in
  end subroutine
#endif
end module

program track_mpi
  use callbacks
  implicit none
#ifdef F08
#define HANDLE(kind) type(MPI_/**/kind)
#define VAL(handle) handle%MPI_VAL
#else
#define HANDLE(kind) integer
#define VAL(handle) handle
#endif
  integer, parameter :: COMM = 0, GROUP = 1, DATATYPE = 2, ERRHANDLER = 3, FILE = 4, INFO = 5, OP = 6, WIN = 8
  HANDLE(Comm) :: a, b
  HANDLE(Group) :: g
  HANDLE(Datatype) :: t
  HANDLE(Errhandler) :: e
  HANDLE(Info) :: i
  HANDLE(Win) :: w
  HANDLE(File) :: f
  integer :: ierror, key, memory(4)
  integer(kind=MPI_ADDRESS_KIND) :: extra, value
  character(len=1024) :: path
  integer :: rank

  call MPI_Init(ierror)
  call check_open()
  call check_index(COMM, VAL(MPI_COMM_WORLD))
  call check_index(DATATYPE, VAL(MPI_INTEGER))
  call check_index(OP, VAL(MPI_SUM))
  call MPI_Comm_dup(MPI_COMM_WORLD, a, ierror)
  call check_index(COMM, VAL(a))
  call MPI_Comm_group(a, g, ierror)
  call check_index(GROUP, VAL(g))
  call MPI_Group_free(g, ierror)
  call MPI_Type_vector(2, 3, 4, MPI_INTEGER, t, ierror)
  call check_index(DATATYPE, VAL(t))
  call MPI_Type_free(t, ierror)
  call MPI_Info_create(i, ierror)
  call MPI_Info_set(i, "key", "value", ierror)
  call check_index(INFO, VAL(i))
  call MPI_Info_free(i, ierror)
  ! a file of its own for each process: another one would delete it
  call get_command_argument(1, path)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_File_open(MPI_COMM_SELF, trim(path) // '.' // achar(iachar('0') + rank), &
                     MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, f, ierror)
  if (ierror /= MPI_SUCCESS) stop 1
  call check_index(FILE, VAL(f))
  call MPI_File_close(f, ierror)

  extra = 4711
  value = -5
  call MPI_Comm_create_keyval(copy, delete, key, extra, ierror)
  call check_keyval(COMM, key, copy, delete, extra)
  call MPI_Comm_set_attr(a, key, value, ierror)
  call check_attribute(VAL(a), key, value)
  call MPI_Comm_dup(a, b, ierror)
  value = -4
  call check_attribute(VAL(b), key, value)
  call MPI_Comm_delete_attr(b, key, ierror)
  call check_no_attribute(VAL(b), key)
  call MPI_Comm_free(b, ierror)
  value = 2_MPI_ADDRESS_KIND**40
#ifdef F08
  call MPI_Comm_set_attr(a, key, value)   ! without ierror
#else
  call MPI_Comm_set_attr(a, key, value, ierror)
#endif
  call check_attribute(VAL(a), key, value)
#ifndef F08
  call MPI_Attr_put(a, key, 77, ierror)
  value = 77
  call check_attribute(VAL(a), key, value)
#endif
  call MPI_Comm_free_keyval(key, ierror)

  call MPI_Comm_create_errhandler(handler, e, ierror)
  call check_errhandler(COMM, VAL(e), handler)
  call check_index(ERRHANDLER, VAL(e))
  call MPI_Comm_set_errhandler(a, e, ierror)
  call MPI_Errhandler_free(e, ierror)
  call MPI_File_create_errhandler(file_handler, e, ierror)
  call check_errhandler(FILE, VAL(e), file_handler)
  call MPI_Errhandler_free(e, ierror)
  call MPI_Win_create_errhandler(win_handler, e, ierror)
  call check_errhandler(WIN, VAL(e), win_handler)
  call MPI_Errhandler_free(e, ierror)
#ifndef F08
  block
    integer :: o
    call MPI_Op_create(add, .true., o, ierror)
    call check_op(o, add, 1)
    call check_index(OP, o)
    call MPI_Op_free(o, ierror)
  end block
#endif
  value = 16
  call MPI_Win_create(memory, value, 4, MPI_INFO_NULL, MPI_COMM_WORLD, w, ierror)
  call check_index(WIN, VAL(w))
  call MPI_Win_free(w, ierror)
  call MPI_Comm_free(a, ierror)
  call MPI_Finalize(ierror)
  call check_close()
end program
